import { performance } from 'node:perf_hooks'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Reply } from '../../model/exchange/reply.ts'

/**
 * Says in `server-timing` (W3C Server Timing) how long the client has waited for the head of this answer, where the
 * configuration wants it said: for the gateway itself, and for upstreams, with calls that failed and what was waited for
 * between them. What the upstream has to say of its own time stays.
 */
export const setServerTiming = ({ headers, tunnel }: Reply, x: Exchange): void => {
  if (!x.snapshot.resources.frontend.http.serverTiming || tunnel) return
  const now = performance.now()
  const { firstStartedAt, startedAt, respondedAt } = x.upstream
  const allMs = now - x.request.startedAt
  if (firstStartedAt === 0) {
    headers.append('server-timing', `gateway;dur=${allMs.toFixed(3)}`)
    return
  }
  // The last call may have failed after one that was answered.
  const upstreamUntil = respondedAt >= startedAt ? respondedAt : now
  const upstreamMs = upstreamUntil - firstStartedAt
  headers.append(
    'server-timing',
    `gateway;dur=${(allMs - upstreamMs).toFixed(3)}, upstream;dur=${upstreamMs.toFixed(3)}`,
  )
}
