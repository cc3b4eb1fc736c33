import type { Redaction } from '../../model/trace/redact.ts'
import type { DryOutcome } from '../offline/dry-run.ts'
import type { RecordedCall } from '../offline/recording-upstream.ts'
import type { SentRequest, RequestVerdict } from './explanation.ts'

/**
 * What an outcome means for the client.
 *
 * @param backend The only backend that was possible.
 * @param isOneOfSeveral Whether the route has others, for which the verdict may differ.
 */
export const requestVerdict = (
  outcome: DryOutcome,
  redaction: Redaction,
  backend?: string,
  isOneOfSeveral = false,
): RequestVerdict => {
  if (outcome.kind === 'closed') return outcome
  if (outcome.kind === 'rejected') {
    const { status, code, message } = outcome.rejection
    return { kind: 'reply', status, code, by: 'http', message, headers: [] }
  }
  const { calls, reachedMcp, reply, x, probe } = outcome
  const [call] = calls
  if (call)
    return {
      kind: 'forward',
      backend: call.backend.name,
      type: call.backend.type,
      sent: sentRequest(call, redaction),
    }
  if (reachedMcp) return { kind: 'forward', backend: backend ?? 'mcp', type: 'mcp' }
  // A simulated language model responds inside the process.
  if (x.upstream.attempts > 0 && x.upstream.backend && reply?.reason === 'Upstream')
    return { kind: 'forward', backend: x.upstream.backend.name, type: x.upstream.backend.type }
  return {
    kind: 'reply',
    status: reply?.status ?? 500,
    code: reply?.code,
    by: probe.decidedBy ?? (probe.selections.at(-1)?.selected === undefined ? 'route' : 'backend'),
    message: reply?.error,
    headers: redactedFields(reply?.headers.raw ?? [], redaction),
    ...(isOneOfSeveral && backend !== undefined && { backend }),
  }
}

const sentRequest = ({ method, target, headers, x }: RecordedCall, redaction: Redaction): SentRequest => {
  const model = x.protocol.llm?.requestModel
  return {
    method,
    target,
    headers: redactedFields(headers, redaction),
    ...(model !== undefined && { model }),
  }
}

const redactedFields = (raw: readonly string[], redaction: Redaction): readonly string[] =>
  raw.map((text, i) => (i % 2 === 0 ? text : redaction.header((raw[i - 1] ?? '').toLowerCase(), text)))
