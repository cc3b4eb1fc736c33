import type { Exchange } from '../../model/exchange/exchange.ts'
import type { RawSession } from '../../model/exchange/raw-session.ts'
import type { LogSampling } from '../../model/resources/frontend-policies.ts'

/**
 * Decides for each record whether it is written. What cannot be evaluated is written: a wrong expression must not hide
 * traffic.
 *
 * @param value Compiles an expression.
 * @param random Returns 0 ≤ number < 1.
 */
export const sampler = <X>(
  { share, keepErrors }: LogSampling,
  value: (expression: string) => (x: X) => unknown,
  hasFailed: (x: X) => boolean,
  random: () => number = Math.random,
): ((x: X) => boolean) => {
  const evaluate = typeof share === 'string' ? value(share) : () => share
  const isChosen = (x: X): boolean => {
    const result = evaluate(x)
    if (typeof result === 'bigint' || typeof result === 'number') return random() < Number(result)
    return result !== false
  }
  return (x) => (keepErrors && hasFailed(x)) || isChosen(x)
}

/** Whether an exchange failed: by a server error, or with an incomplete response. */
export const exchangeFailed = ({ reply, downstream }: Exchange): boolean =>
  downstream.truncatedBy !== undefined ||
  (reply !== undefined && (reply.status >= 500 || serverErrors.has(reply.grpcStatus ?? 0)))

/** Whether a raw connection ended otherwise than by itself. */
export const connectionFailed = ({ error }: RawSession): boolean => error !== undefined

/** The gRPC statuses of server errors, as OpenTelemetry classifies them: UNKNOWN, DEADLINE_EXCEEDED, UNIMPLEMENTED … */
const serverErrors: ReadonlySet<number> = new Set([2, 4, 12, 13, 14, 15])
