import type { Exchange } from '../../model/exchange/exchange.ts'
import { tighter } from '../../model/exchange/rate-limit-quota.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import { applied } from '../trace-policy.ts'
import type { TokenBucket } from './token-bucket.ts'

/** Tokens requested of a bucket. */
export interface RequestedTokens {
  readonly bucket: TokenBucket
  readonly count: number
}

/** The refusal of a request for more tokens than are available; has `retry-after` if waiting helps. */
export const overLimit = (x: Exchange, requested: readonly RequestedTokens[]): Reply => {
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
