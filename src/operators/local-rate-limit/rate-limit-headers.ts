import type { Exchange } from '../../model/exchange/exchange.ts'

/** Reports the remaining quota to the client, if a limit applied: that of the limit with the least left. */
export const setRateLimitHeaders = ({ policy, reply }: Exchange): void => {
  const { quota } = policy
  if (!quota || !reply) return
  const { headers } = reply
  headers.set('x-ratelimit-limit', String(quota.limit))
  headers.set('x-ratelimit-remaining', String(quota.remaining))
  headers.set('x-ratelimit-reset', String(quota.resetSeconds))
}
