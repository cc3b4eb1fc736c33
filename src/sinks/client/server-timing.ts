import { performance } from 'node:perf_hooks'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Reply } from '../../model/exchange/reply.ts'

/**
 * Adds `server-timing` (W3C Server Timing) if configured: the time to the head of this reply, of the gateway and of
 * upstreams, including failed calls and the delays between them. The upstream's own entries stay.
 */
export const setServerTiming = ({ headers, tunnel }: Reply, x: Exchange): void => {
  if (!x.frontend.http.serverTiming || tunnel) return
  const now = performance.now()
  const { firstStartedAt, startedAt, respondedAt } = x.upstream
  const allMs = now - x.request.startedAt
  if (firstStartedAt === 0) {
    headers.append('server-timing', `gateway;dur=${allMs.toFixed(3)}`)
    return
  }
  // The last call may have failed after an earlier response.
  const upstreamUntil = respondedAt >= startedAt ? respondedAt : now
  const upstreamMs = upstreamUntil - firstStartedAt
  headers.append(
    'server-timing',
    `gateway;dur=${(allMs - upstreamMs).toFixed(3)}, upstream;dur=${upstreamMs.toFixed(3)}`,
  )
}
