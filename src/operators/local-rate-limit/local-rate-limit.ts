import { tighter } from '../model/quota.ts'
import { TokenQuota } from '../model/token-quota.ts'
import { onReply, onRequest } from '../pipeline/stage.ts'
import { BucketTokens } from './limit/bucket-tokens.ts'
import { overLimit } from './limit/over-limit.ts'
import { tellQuota } from './limit/tell-quota.ts'
import type { TokenBucket } from './limit/token-bucket.ts'
import type { Phases } from './phases.ts'
import { applied } from './policy-note.ts'

/**
 * Takes one token from every bucket, or none and answers 429 `rate limit exceeded` if one of them is empty.
 *
 * Answers tell what is left in `x-ratelimit-limit`, `-remaining` and `-reset`, as it was when the request was let in;
 * refusals say in `retry-after` when to come again.
 *
 * Belongs after everything that refuses callers, so that whom nobody let in uses up nobody's share. The buckets are
 * shared by all exchanges that come by; what shares them is up to who makes them.
 *
 * @param buckets What each request takes one token from.
 * @param ofModels What the tokens that language models use are taken from, as soon as it is known how many they are.
 *   Here one must be left, and is not taken.
 */
export const limitRate = (buckets: readonly TokenBucket[], ofModels: readonly TokenBucket[] = []): Phases => {
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
      for (const bucket of all) x.quota = tighter(x.quota, bucket.quota())
      if (ofModels.length) {
        const quota = (x.tokenQuota ??= new TokenQuota())
        for (const bucket of ofModels) quota.add(new BucketTokens(x, bucket))
      }
      x.probe?.note(applied('local_rate_limit', `passed, ${x.quota?.remaining ?? 0} left`))
      return undefined
    }),
    reply: onReply('local-rate-limit-headers', tellQuota),
  }
}
