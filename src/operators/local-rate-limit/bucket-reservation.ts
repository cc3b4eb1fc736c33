import type { Exchange } from '../../model/exchange/exchange.ts'
import { tighter } from '../../model/exchange/rate-limit-quota.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { TokenLimit } from '../../model/exchange/token-limit.ts'
import { overLimit } from './over-limit.ts'
import type { TokenBucket } from './token-bucket.ts'

/**
 * The tokens that one exchange has reserved in a bucket, and uses. More may be used than was available: then no
 * request passes until the bucket has refilled.
 */
export class BucketTokens implements TokenLimit {
  readonly #x: Exchange
  readonly #bucket: TokenBucket
  #reserved = 0

  constructor(x: Exchange, bucket: TokenBucket) {
    this.#x = x
    this.#bucket = bucket
  }

  reserve(tokens: number): Reply | undefined {
    const missing = tokens - this.#reserved
    if (missing <= 0) return undefined
    if (!this.#bucket.take(missing)) return overLimit(this.#x, [{ bucket: this.#bucket, count: missing }])
    this.#reserved = tokens
    this.#x.policy.quota = tighter(this.#x.policy.quota, this.#bucket.quota())
    return undefined
  }

  used(tokens: number | undefined): void {
    if (tokens !== undefined) this.#bucket.reconcile(this.#reserved, tokens)
    this.#reserved = 0
  }

  release(): void {
    if (this.#reserved > 0) this.#bucket.charge(-this.#reserved)
    this.#reserved = 0
  }
}
