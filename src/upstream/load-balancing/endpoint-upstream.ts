import type { Exchange } from '../model/exchange.ts'
import { Fault } from '../model/fault.ts'
import type { BackendLabels } from '../model/snapshot.ts'
import { BalancedCall, type BalancedOptions } from './balanced-call.ts'
import type { UpstreamCall, UpstreamEvents } from './call.ts'
import type { Endpoints } from './endpoints.ts'
import { failedCall } from './failed-call.ts'
import { noEndpoint } from './fault.ts'
import { send } from './send.ts'
import type { HttpUpstream } from './upstream.ts'
import { WaitingCall } from './waiting-call.ts'

/** How an upstream with endpoints is called. */
export interface EndpointUpstreamOptions extends BalancedOptions {
  readonly labels: BackendLabels
  readonly endpoints: Endpoints
}

/** An upstream that runs at one or several known places. */
export class EndpointUpstream implements HttpUpstream {
  readonly labels: BackendLabels
  readonly #options: EndpointUpstreamOptions

  constructor(options: EndpointUpstreamOptions) {
    this.labels = options.labels
    this.#options = options
  }

  call(x: Exchange, events: UpstreamEvents): UpstreamCall {
    const { endpoints, authority } = this.#options
    const known = endpoints.current(x.upstreamStartedAt)
    if (!known) return this.#waitFor(x, events)
    // Most upstreams have one address. There is nothing to choose, so nothing has to be measured.
    const [only] = known
    if (only && known.length === 1) return send(x, only, authority, events)
    return new BalancedCall(x, known, this.#options, events).start()
  }

  authority(): string | undefined {
    return this.#options.authority
  }

  #waitFor(x: Exchange, events: UpstreamEvents): UpstreamCall {
    const waiting = new WaitingCall()
    this.#options.endpoints.resolve(x.upstreamStartedAt, (found) =>
      waiting.go(() => {
        if (found instanceof Fault) {
          // No address was called; the log has the name that has none.
          x.endpoint = this.#options.authority
          return failedCall(events, found)
        }
        if (found.length === 0) return failedCall(events, noEndpoint())
        return new BalancedCall(x, found, this.#options, events).start()
      }),
    )
    return waiting
  }
}
