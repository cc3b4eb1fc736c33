import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Fault } from '../../model/exchange/fault.ts'
import type { UpstreamCall } from '../call.ts'
import type { Balancer } from './balancer.ts'
import { chooseEndpoint } from './choose-endpoint.ts'
import type { BackendCounts, CallCounts } from './call-counts.ts'
import type { Endpoint } from './endpoint.ts'
import type { Eviction } from './outlier-detection.ts'

/** How the endpoints of one call are chosen. */
export interface SelectionOptions {
  readonly balancer: Balancer
  readonly panicThreshold?: number | undefined
  /** Undefined never evicts. */
  readonly eviction?: Eviction | undefined
  /** Counts the calls; callouts are not counted. */
  readonly counts?: BackendCounts | undefined
}

/**
 * The endpoints that one call goes to, one after another, and the outcomes that are recorded for their health. Where no
 * connection can be made the next endpoint is tried at once: nothing of the request has been sent by then, so nothing
 * can happen twice.
 */
export class EndpointSelection {
  readonly #options: SelectionOptions
  readonly #x: Exchange | undefined
  #tried: readonly object[] = []
  #current: Endpoint | undefined = undefined
  #counts: CallCounts | undefined = undefined
  #call: UpstreamCall | undefined = undefined
  #isPending = false
  #startedAt = 0
  #count = 0

  /** @param x Endpoints that earlier calls of the exchange have tried count as tried. */
  constructor(options: SelectionOptions, x?: Exchange) {
    this.#options = options
    this.#x = x
  }

  /** Whether an endpoint has been tried. */
  get hasTried(): boolean {
    return this.#count > 0
  }

  /**
   * Whether another endpoint may be tried after a fault.
   *
   * @param all Those that there are by now. If none is left, `next` chooses none.
   */
  canFailOver({ code }: Fault, all: readonly Endpoint[]): boolean {
    if (code !== 'upstream_connect') return false
    return this.#count < all.length || all.length === 0 || all.some((one) => this.#isNew(one))
  }

  /**
   * Chooses the next endpoint; the call to the one before is over.
   *
   * @param pinned To be taken whatever the health of the others.
   * @returns Undefined if there are no endpoints.
   */
  next(all: readonly Endpoint[], now: number, pinned?: Endpoint): Endpoint | undefined {
    const x = this.#x
    this.release()
    const { balancer, panicThreshold } = this.#options
    const tried = x ? x.upstream.tried : this.#tried
    const chosen = pinned ?? chooseEndpoint(all, { balancer, panicThreshold, now, x, tried })
    this.#current = chosen
    if (!chosen) return undefined
    if (all.length > 1) {
      const after = tried ? [...tried, chosen] : [chosen]
      if (x) x.upstream.tried = after
      else this.#tried = after
    }
    this.#count++
    this.#startedAt = now
    this.#isPending = true
    chosen.health.began()
    this.#counts = this.#options.counts?.of(chosen)
    this.#counts?.began()
    return chosen
  }

  /** Whether an endpoint has come since the first was chosen; all before it have been tried. */
  #isNew(endpoint: Endpoint): boolean {
    const tried = this.#x ? this.#x.upstream.tried : this.#tried
    return endpoint !== this.#current && !tried?.includes(endpoint)
  }

  /** Keeps the call to an endpoint, for `abort`. */
  started(endpoint: Endpoint, call: UpstreamCall): void {
    // A call that failed inside `send` has been followed by the next one already.
    if (!this.#call || (this.#isPending && this.#current === endpoint)) this.#call = call
  }

  /** Aborts the call to the current endpoint. */
  abort(): void {
    this.#call?.abort()
  }

  /** The call to the current endpoint no longer counts as pending. */
  release(): void {
    if (this.#isPending && this.#current) this.#current.health.released()
    this.#isPending = false
  }

  /** Records a good outcome of the current endpoint. */
  succeeded(now: number): void {
    this.#current?.health.succeeded(now, now - this.#startedAt)
    this.#counts?.succeeded(now - this.#startedAt)
  }

  /**
   * Records a bad outcome of the current endpoint.
   *
   * @param reason In a few words.
   * @param retryAfterMs The delay before further requests that the endpoint requested.
   */
  failed(now: number, reason: string, retryAfterMs?: number): void {
    this.#current?.health.failed(now, this.#options.eviction, retryAfterMs, reason)
    this.#counts?.failed()
  }
}
