import { tighter } from '../../model/exchange/rate-limit-quota.ts'
import { TokenQuota } from '../../model/exchange/token-limit.ts'
import { onReply, onRequest } from '../../pipeline/stage.ts'
import { BucketTokens } from './bucket-reservation.ts'
import { overLimit } from './over-limit.ts'
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
