import type { Exchange } from '../../model/exchange.ts'

/** Tells the client what is left, if a limit said so: the values of the one that leaves least. */
export const tellQuota = ({ quota, reply }: Exchange): void => {
  if (!quota || !reply) return
  const { headers } = reply
  headers.set('x-ratelimit-limit', String(quota.limit))
  headers.set('x-ratelimit-remaining', String(quota.remaining))
  headers.set('x-ratelimit-reset', String(quota.resetSeconds))
}
