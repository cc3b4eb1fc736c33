import type { Quota } from '../../model/quota.ts'

/** How much fits into a bucket, and how it fills. */
export interface TokenBucketOptions {
  readonly maxTokens: number
  readonly tokensPerFill: number
  readonly fillIntervalMs: number
}

/**
 * Tokens that are taken, and come back with time. It begins full, and has no timer: what has come back is worked out when
 * somebody asks. The interval of a full bucket begins with what is taken from it, so that a burst across the end of one
 * is no larger than the bucket.
 *
 * It outlasts configurations; closing it does nothing.
 */
export class TokenBucket {
  readonly maxTokens: number
  readonly #tokensPerFill: number
  readonly #fillIntervalMs: number
  readonly #clock: () => number
  #tokens: number
  /** When the interval began that is under way. */
  #filledAt: number
  /** When it was last worked out what is in it. */
  #now: number

  /** @param clock Milliseconds; must never go back. */
  constructor({ maxTokens, tokensPerFill, fillIntervalMs }: TokenBucketOptions, clock: () => number) {
    this.maxTokens = maxTokens
    this.#tokensPerFill = tokensPerFill
    this.#fillIntervalMs = fillIntervalMs
    this.#clock = clock
    this.#tokens = maxTokens
    this.#filledAt = this.#now = clock()
  }

  /** What may be taken now; less than nothing if more was charged than there was. */
  get available(): number {
    this.#fill()
    return this.#tokens
  }

  /** Takes tokens if they are there. */
  take(count: number): boolean {
    this.#fill()
    if (this.#tokens < count) return false
    this.#tokens -= count
    return true
  }

  /** Takes tokens, whether they are there or not. A negative count gives back. */
  charge(count: number): void {
    this.#fill()
    this.#tokens = Math.min(this.maxTokens, this.#tokens - count)
  }

  /** Corrects an earlier charge, once it is known how much it should have been. */
  settle(charged: number, actual: number): void {
    this.charge(actual - charged)
  }

  /** What clients are told of it, as it was when it was last asked or changed. */
  quota(): Quota {
    const resetMs = this.#filledAt + this.#fillIntervalMs - this.#now
    return {
      limit: this.maxTokens,
      remaining: Math.max(0, this.#tokens),
      resetSeconds: Math.max(0, Math.ceil(resetMs / 1000)),
    }
  }

  /** Milliseconds until so many may be taken; undefined if that will never be. */
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
