import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import type { BackendLabels } from '../../model/resources/snapshot.ts'
import type { EndpointCondition } from './choice.ts'
import { BalancedCall, type BalancedOptions } from './balanced-call.ts'
import type { UpstreamCall, UpstreamEvents } from '../call.ts'
import type { BackendCounts } from './call-counts.ts'
import type { Endpoints } from './endpoints.ts'
import { failedCall } from '../http/failed-call.ts'
import { noEndpoint } from '../faults.ts'
import type { HttpUpstream } from '../upstream.ts'
import { DeferredCall } from '../http/deferred-call.ts'
import { SingleCall } from './single-call.ts'

/** How an upstream with endpoints is called. */
export interface EndpointUpstreamOptions extends BalancedOptions {
  readonly labels: BackendLabels
  readonly endpoints: Endpoints
  readonly counts: BackendCounts
  /** Whether health counts even for a single endpoint: others may be chosen in its place. */
  readonly isSupervised?: boolean
}

/** An upstream with known endpoints. */
export class EndpointUpstream implements HttpUpstream {
  readonly labels: BackendLabels
  readonly #options: EndpointUpstreamOptions

  constructor(options: EndpointUpstreamOptions) {
    this.labels = options.labels
    this.#options = options
  }

  call(x: Exchange, events: UpstreamEvents): UpstreamCall {
    const { endpoints, isSupervised } = this.#options
    const known = endpoints.current(x.upstream.startedAt)
    if (!known) return this.#waitFor(x, events)
    // Most upstreams have one address, with nothing to choose.
    const [only] = known
    if (only && known.length === 1 && !isSupervised)
      return only.isRemoved
        ? new BalancedCall(x, endpoints.latest(), this.#options, events).start()
        : new SingleCall(x, only, this.#options, events).start()
    return new BalancedCall(x, known, this.#options, events).start()
  }

  authority(): string | undefined {
    return this.#options.authority
  }

  get condition(): EndpointCondition | undefined {
    const { endpoints, isSupervised } = this.#options
    return isSupervised ? new EndpointsCondition(endpoints) : undefined
  }

  #waitFor(x: Exchange, events: UpstreamEvents): UpstreamCall {
    const waiting = new DeferredCall()
    this.#options.endpoints.resolve(x.upstream.startedAt, (found) =>
      waiting.start(() => {
        if (found instanceof Fault) {
          // No address was called; the log shows the name that failed to resolve.
          x.upstream.endpoint = this.#options.authority
          const { endpoints, eviction } = this.#options
          endpoints.unresolved?.health.failed(performance.now(), eviction, undefined, found.code)
          return failedCall(events, found)
        }
        if (found.length === 0) return failedCall(events, noEndpoint())
        return new BalancedCall(x, found, this.#options, events).start()
      }),
    )
    return waiting
  }
}

/** The condition of all endpoints of an upstream together: it can be used as long as one of them can. */
class EndpointsCondition implements EndpointCondition {
  readonly #endpoints: Endpoints

  constructor(endpoints: Endpoints) {
    this.#endpoints = endpoints
  }

  get pending(): number {
    return (this.#endpoints.current(performance.now()) ?? []).reduce(
      (sum, { health }) => sum + health.pending,
      0,
    )
  }

  isEvicted(now: number): boolean {
    const known = this.#endpoints.current(now)
    if (!known) return this.#endpoints.unresolved?.health.isEvicted(now) ?? false
    return known.every(({ health }) => health.isEvicted(now))
  }

  score(now: number): number {
    return this.#best(now, ({ health }) => health.score(now))
  }

  strength(now: number): number {
    return this.#best(now, ({ health }) => health.strength(now))
  }

  #best(now: number, of: (one: { readonly health: EndpointCondition }) => number): number {
    let best = 0
    for (const one of this.#endpoints.current(now) ?? [])
      if (!one.health.isEvicted(now)) best = Math.max(best, of(one))
    // Without a usable endpoint all upstreams are equal.
    return best || 1
  }
}
