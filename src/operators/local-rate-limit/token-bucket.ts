import type { Quota } from '../../model/exchange/rate-limit-quota.ts'

/** Capacity and fill rate of a bucket. */
export interface TokenBucketOptions {
  readonly maxTokens: number
  readonly tokensPerFill: number
  readonly fillIntervalMs: number
}

/**
 * A token bucket that refills with time. It begins full, and has no timer: refills are computed when it is read. The
 * interval of a full bucket begins with the first charge, so that a burst across the end of an interval is no larger
 * than the bucket.
 *
 * It survives configuration changes; closing it does nothing.
 */
export class TokenBucket {
  readonly maxTokens: number
  readonly #tokensPerFill: number
  readonly #fillIntervalMs: number
  readonly #clock: () => number
  #tokens: number
  /** Start of the current interval. */
  #filledAt: number
  /** Time of the last computation. */
  #now: number

  /** @param clock Milliseconds; must be monotonic. */
  constructor({ maxTokens, tokensPerFill, fillIntervalMs }: TokenBucketOptions, clock: () => number) {
    this.maxTokens = maxTokens
    this.#tokensPerFill = tokensPerFill
    this.#fillIntervalMs = fillIntervalMs
    this.#clock = clock
    this.#tokens = maxTokens
    this.#filledAt = this.#now = clock()
  }

  /** Tokens that may be taken now; negative if more was charged than was available. */
  get available(): number {
    this.#fill()
    return this.#tokens
  }

  /** Takes tokens if that many are available. */
  take(count: number): boolean {
    this.#fill()
    if (this.#tokens < count) return false
    this.#tokens -= count
    return true
  }

  /** Takes tokens, whether or not they are available. A negative count returns tokens. */
  charge(count: number): void {
    this.#fill()
    this.#tokens = Math.min(this.maxTokens, this.#tokens - count)
  }

  /** Corrects an earlier charge, once the actual count is known. */
  reconcile(charged: number, actual: number): void {
    this.charge(actual - charged)
  }

  /** The quota for clients, as of the last read or change. */
  quota(): Quota {
    const resetMs = this.#filledAt + this.#fillIntervalMs - this.#now
    return {
      limit: this.maxTokens,
      remaining: Math.max(0, this.#tokens),
      resetSeconds: Math.max(0, Math.ceil(resetMs / 1000)),
    }
  }

  /** Milliseconds until that many tokens are available; undefined if never. */
  waitMs(count: number): number | undefined {
    const missing = count - this.available
    if (missing <= 0) return 0
    if (count > this.maxTokens || this.#tokensPerFill === 0) return undefined
    const fills = Math.ceil(missing / this.#tokensPerFill)
    return this.#filledAt + fills * this.#fillIntervalMs - this.#now
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  destroy(): Promise<void> {
    return Promise.resolve()
  }

  #fill(): void {
    const now = (this.#now = this.#clock())
    if (this.#tokens >= this.maxTokens) {
      this.#filledAt = now
      return
    }
    const fills = Math.floor((now - this.#filledAt) / this.#fillIntervalMs)
    if (fills <= 0) return
    this.#tokens = Math.min(this.maxTokens, this.#tokens + fills * this.#tokensPerFill)
    this.#filledAt += fills * this.#fillIntervalMs
  }
}
