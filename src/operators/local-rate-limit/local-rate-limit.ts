import type { Exchange } from '../../model/exchange/exchange.ts'
import { tighter } from '../../model/exchange/rate-limit-quota.ts'
import { type Reply, deny } from '../../model/exchange/reply.ts'
import { TokenQuota, type TokenLimit } from '../../model/exchange/token-limit.ts'
import { onReply, onRequest } from '../../pipeline/stage.ts'
import { setRateLimitHeaders } from './rate-limit-headers.ts'
import type { TokenBucket } from './token-bucket.ts'
import type { Phases } from '../phases.ts'
import { applied } from '../trace-policy.ts'

/**
 * Takes one token from every bucket; takes none and refuses with 429 `rate limit exceeded` if one of them is empty.
 *
 * Replies report the remaining quota in `x-ratelimit-limit`, `-remaining` and `-reset`, as of the admission of the
 * request; refusals have `retry-after`.
 *
 * Belongs after everything that refuses callers, so that refused requests use up no quota. The buckets are shared by
 * all exchanges of this operator; the caller decides what else shares them.
 *
 * @param buckets Each request takes one token from each of them.
 * @param ofModels Buckets for the tokens of language models, which are taken once their number is known. At least one
 *   must be available here; it is not taken.
 */
export const localRateLimit = (
  buckets: readonly TokenBucket[],
  ofModels: readonly TokenBucket[] = [],
): Phases => {
  const all = [...buckets, ...ofModels]
  const one = all.map((bucket) => ({ bucket, count: 1 }))
  return {
    request: onRequest('local-rate-limit', (x) => {
      for (const bucket of ofModels) if (bucket.available < 1) return overLimit(x, one)
      for (let i = 0; i < buckets.length; i++) {
        if (buckets[i]?.take(1)) continue
        for (const taken of buckets.slice(0, i)) taken.charge(-1)
        return overLimit(x, one)
      }
      for (const bucket of all) x.policy.quota = tighter(x.policy.quota, bucket.quota())
      if (ofModels.length) {
        const quota = (x.policy.tokenQuota ??= new TokenQuota())
        for (const bucket of ofModels) quota.add(new BucketTokens(x, bucket))
      }
      x.probe?.record(applied('local_rate_limit', `passed, ${x.policy.quota?.remaining ?? 0} left`))
      return undefined
    }),
    reply: onReply('local-rate-limit-headers', setRateLimitHeaders),
  }
}

/**
 * The tokens that one exchange has reserved in a bucket, and uses. More may be used than was available: then no
 * request passes until the bucket has refilled.
 */
class BucketTokens implements TokenLimit {
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

/** Tokens requested of a bucket. */
interface RequestedTokens {
  readonly bucket: TokenBucket
  readonly count: number
}

/** The refusal of a request for more tokens than are available; has `retry-after` if waiting helps. */
const overLimit = (x: Exchange, requested: readonly RequestedTokens[]): Reply => {
  let waitMs: number | undefined = 0
  for (const { bucket, count } of requested) {
    if (bucket.available >= count) continue
    x.policy.quota = tighter(x.policy.quota, bucket.quota())
    const ms = bucket.waitMs(count)
    waitMs = ms === undefined || waitMs === undefined ? undefined : Math.max(waitMs, ms)
  }
  const seconds = waitMs === undefined ? undefined : Math.max(1, Math.ceil(waitMs / 1000))
  x.probe?.record(
    applied('local_rate_limit', seconds === undefined ? 'refused for ever' : `refused for ${seconds} s`),
  )
  return deny(429, 'rate_limited', {
    message: 'rate limit exceeded',
    headers: seconds === undefined ? {} : { 'retry-after': String(seconds) },
  })
}
