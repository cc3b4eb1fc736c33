import type { Exchange } from '../../model/exchange.ts'
import { tighter } from '../../model/quota.ts'
import { deny, type Reply } from '../../model/reply.ts'
import { applied } from '../policy-note.ts'
import type { TokenBucket } from './token-bucket.ts'

/** So much was wanted of a bucket. */
export interface Wanted {
  readonly bucket: TokenBucket
  readonly count: number
}

/** The refusal of who wants more than there is; says when to come again, if that is of any use. */
export const overLimit = (x: Exchange, wanted: readonly Wanted[]): Reply => {
  let waitMs: number | undefined = 0
  for (const { bucket, count } of wanted) {
    if (bucket.available >= count) continue
    x.quota = tighter(x.quota, bucket.quota())
    const ms = bucket.waitMs(count)
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
