import type { Evaluate } from '../model/evaluate.ts'
import type { Exchange } from '../model/exchange.ts'
import type { BackendLabels } from '../model/snapshot.ts'
import { BalancedCall } from './balanced-call.ts'
import type { UpstreamCall, UpstreamEvents } from './call.ts'
import type { Endpoints } from './endpoints.ts'
import { Fault } from '../model/fault.ts'
import type { Eviction } from './health.ts'
import { noEndpoint } from './fault.ts'
import { send } from './send.ts'
import type { HttpUpstream } from './upstream.ts'
import { WaitingCall } from './waiting-call.ts'

/** How an upstream with endpoints is called. */
export interface EndpointUpstreamOptions {
  readonly labels: BackendLabels
  readonly endpoints: Endpoints
  /** `host[:port]` of an upstream that has a name; undefined leaves the client's. */
  readonly authority: string | undefined
  readonly eviction: Eviction | undefined
  /** Whether an answer counts as a failure; undefined means 5xx, or a gRPC status other than 0. */
  readonly unhealthy: Evaluate | undefined
  /** Gives the key by which calls stay with an endpoint. */
  readonly affinity: Evaluate | undefined
  readonly random: () => number
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

  #waitFor(x: Exchange, events: UpstreamEvents): UpstreamCall {
    const waiting = new WaitingCall()
    this.#options.endpoints.resolve(x.upstreamStartedAt, (found) => {
      if (found instanceof Fault) waiting.go(() => failed(events, found))
      else if (found.length === 0) waiting.go(() => failed(events, noEndpoint()))
      else waiting.go(() => new BalancedCall(x, found, this.#options, events).start())
    })
    return waiting
  }
}

const failed = (events: UpstreamEvents, fault: Fault): UpstreamCall => {
  events.fail(fault)
  return { abort: () => undefined }
}
