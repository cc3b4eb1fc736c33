import { performance } from 'node:perf_hooks'
import { isTrue } from '../../../model/exchange/expression.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Fault } from '../../../model/exchange/fault.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import type { Eviction } from '../../../upstream/load-balancing/outlier-detection.ts'
import { retryAfterMs } from '../../../upstream/http/retry-after.ts'
import type { Option } from './provider-target.ts'

/** Records the outcome of a call. True if another provider may do better. */
export const recordOutcome = (x: Exchange, option: Option, reply: Reply, startedAt: number): boolean => {
  const { health, counts, unhealthy } = option.candidate
  // Set a moment ago, unless a stage replied in place of the provider.
  const now = x.upstream.respondedAt > startedAt ? x.upstream.respondedAt : performance.now()
  const isUnhealthy = unhealthy ? isTrue(unhealthy, x) : reply.status >= 500 || reply.status === 429
  if (isUnhealthy) recordFailure(option, `status ${String(reply.status)}`, reply)
  else {
    health.succeeded(now, now - startedAt)
    counts.succeeded(now - startedAt)
  }
  return isUnhealthy || isAboutProvider(reply.status)
}

/**
 * Records that a provider failed, and for how long it requested to be left alone, if it did.
 *
 * @param reason In a few words, for reports.
 */
export const recordFailure = ({ candidate }: Option, reason: string, reply?: Reply): void => {
  const waitMs = reply && retryAfterOf(reply)
  // Such a request evicts at the first failure, unless the configuration sets the number of failures.
  const eviction = waitMs !== undefined && candidate.usesUsualEviction ? atOnce : candidate.eviction
  candidate.health.failed(performance.now(), eviction, waitMs, reason)
  candidate.counts.failed()
}

const atOnce: Eviction = {}

/** Remaining limits are also in the headers of successes; they count only for a refusal because of limits. */
const retryAfterOf = ({ status, headers }: Reply): number | undefined =>
  status === 429 || headers.has('retry-after') ? retryAfterMs(headers, Date.now()) : undefined

/** Whether another provider may do better: faults of the call itself, and credentials or endpoints that could not be obtained. */
export const isFaultWorthAnother = ({ reason, code }: Fault): boolean =>
  reason === 'UpstreamFailure' || faults.has(code)

/** Whether a status says more about the provider than about the request. No model is behind a redirect. */
const isAboutProvider = (status: number): boolean =>
  status >= 300 && (status < 400 || aboutProvider.has(status))

const aboutProvider: ReadonlySet<number> = new Set([401, 403, 404, 408, 429])

const faults: ReadonlySet<string> = new Set([
  'upstream_timeout',
  'upstream_dns',
  'no_endpoint',
  // The choice of the provider's endpoint picker.
  'unknown_endpoint',
  'backend_auth_failed',
])
