import type { Exchange } from '../../model/exchange.ts'
import { tighter } from '../../model/quota.ts'
import type { Reply } from '../../model/reply.ts'
import type { TokenLimit } from '../../model/token-quota.ts'
import { overLimit } from './over-limit.ts'
import type { TokenBucket } from './token-bucket.ts'

/**
 * What one exchange holds of a bucket, and takes from it. More may be used than was there: then nobody passes until the
 * bucket has filled that up.
 */
export class BucketTokens implements TokenLimit {
  readonly #x: Exchange
  readonly #bucket: TokenBucket
  #held = 0

  constructor(x: Exchange, bucket: TokenBucket) {
    this.#x = x
    this.#bucket = bucket
  }

  reserve(tokens: number): Reply | undefined {
    const missing = tokens - this.#held
    if (missing <= 0) return undefined
    if (!this.#bucket.take(missing)) return overLimit(this.#x, [{ bucket: this.#bucket, count: missing }])
    this.#held = tokens
    this.#x.quota = tighter(this.#x.quota, this.#bucket.quota())
    return undefined
  }

  used(tokens: number | undefined): void {
    if (tokens !== undefined) this.#bucket.settle(this.#held, tokens)
    this.#held = 0
  }

  release(): void {
    if (this.#held > 0) this.#bucket.charge(-this.#held)
    this.#held = 0
  }
}
