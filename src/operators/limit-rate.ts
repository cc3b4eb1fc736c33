import type { Exchange } from '../model/exchange.ts'
import { tighter } from '../model/quota.ts'
import { deny, type Reply } from '../model/reply.ts'
import { onReply, onRequest } from '../pipeline/stage.ts'
import { tellQuota } from './limit/tell-quota.ts'
import type { TokenBucket } from './limit/token-bucket.ts'
import type { Phases } from './phases.ts'
import { applied } from './policy-note.ts'

/**
 * Takes one token from every bucket, or none and answers 429 `rate limit exceeded` if one of them is empty. Answers tell
 * what is left in `x-ratelimit-limit`, `-remaining` and `-reset`; refusals say in `retry-after` when to come again.
 *
 * Belongs after everything that refuses callers, so that whom nobody let in uses up nobody's share. The buckets are
 * shared by all exchanges that come by; what shares them is up to who makes them.
 */
export const limitRate = (buckets: readonly TokenBucket[]): Phases => ({
  request: onRequest('local-rate-limit', (x) => {
    for (let i = 0; i < buckets.length; i++) {
      if (buckets[i]?.take(1)) continue
      for (const taken of buckets.slice(0, i)) taken.charge(-1)
      return refusal(x, buckets)
    }
    for (const bucket of buckets) x.quota = tighter(x.quota, bucket.quota())
    x.probe?.note(applied('local_rate_limit', `passed, ${x.quota?.remaining ?? 0} left`))
    return undefined
  }),
  reply: onReply('local-rate-limit-headers', tellQuota),
})

const refusal = (x: Exchange, buckets: readonly TokenBucket[]): Reply => {
  let waitMs: number | undefined = 0
  for (const bucket of buckets) {
    if (bucket.available >= 1) continue
    x.quota = tighter(x.quota, bucket.quota())
    const ms = bucket.waitMs(1)
    waitMs = ms === undefined || waitMs === undefined ? undefined : Math.max(waitMs, ms)
  }
  const seconds = waitMs === undefined ? undefined : Math.max(1, Math.ceil(waitMs / 1000))
  x.probe?.note(
    applied('local_rate_limit', seconds === undefined ? 'refused for ever' : `refused for ${seconds} s`),
  )
  return deny(429, 'rate_limited', {
    message: 'rate limit exceeded',
    headers: seconds === undefined ? {} : { 'retry-after': String(seconds) },
  })
}
