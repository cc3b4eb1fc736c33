import { CommandFailure } from '../command-failure.ts'
import { connectFailure, oneLineText, tokenHint } from '../gateway/admin-failure.ts'
import { exitCode } from '../exit-code.ts'
import { TraceStreamError, type TraceStreamReason } from '../../trace/trace-stream-error.ts'

/** A failure of a stream of trace events, with what to do next. */
export const traceFailure = (name: string, error: unknown): unknown => {
  if (!(error instanceof TraceStreamError)) return error
  const { reason, status, message } = error
  if (reason === 'unreachable') return connectFailure(name, error)
  const text =
    status === undefined || status === 200
      ? `the trace of ${name} failed: ${oneLineText(message)}`
      : `trace stream returned ${String(status)}: ${oneLineText(message)}`
  const hint = hints[reason]
  return new CommandFailure(text, {
    cause: error,
    exitCode: exitCode.failed,
    ...(hint !== undefined && { hint }),
  })
}

const hints: Readonly<Partial<Record<TraceStreamReason, string>>> = {
  unauthorized: tokenHint,
  busy: 'Other watchers have to end first.',
  unexpected: 'Is it the admin server of a gateway? -p chooses another port.',
}
