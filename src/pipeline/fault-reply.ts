import type { Exchange } from '../model/exchange/exchange.ts'
import { Fault } from '../model/exchange/fault.ts'
import { deny, type Reply } from '../model/exchange/reply.ts'

/**
 * The reply to a fault: its own status and message, with its cause for the log. Anything else that was thrown is a bug:
 * the client gets only `internal`, and `onBug` gets the error for the log.
 *
 * @param onBug Reports bugs; the default writes them to standard error.
 */
export const faultReply =
  (onBug: (bug: unknown, x: Exchange) => void = reportBug) =>
  (fault: unknown, x: Exchange): Reply => {
    if (fault instanceof Fault) {
      const reply = deny(fault.status, fault.code, { message: fault.message, reason: fault.reason })
      reply.cause = fault.cause
      return reply
    }
    onBug(fault, x)
    return deny(500, 'internal', { message: 'internal error' })
  }

const reportBug = (bug: unknown): void => {
  console.error(bug)
}
