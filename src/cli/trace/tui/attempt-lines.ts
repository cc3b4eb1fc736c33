import type { TraceRecord } from '../trace-record.ts'
import { field } from './route-lines.ts'
import { durationText, type Line, line, statusTone } from './span.ts'

/** The calls to upstreams, each with target, times and result, and why there was another one. */
export const attemptLines = (record: TraceRecord, columns: number): readonly Line[] => {
  const { attempts, snapshots, events } = record
  if (attempts.length === 0)
    return [line('No upstream was called: the gateway itself replied, or has not come so far.', 'dim')]
  const backend = snapshots.findLast(({ state }) => state.backend !== undefined)?.state.backend
  const lines: Line[] = backend === undefined ? [] : [...field('backend', backend.name, columns), []]
  for (const [index, { target, startUs, endUs, status, error }] of attempts.entries()) {
    const took = endUs === undefined ? 'under way' : durationText(endUs - startUs)
    const result = error ?? (status === null ? 'no response yet' : String(status))
    lines.push(
      line(`Attempt ${String(index + 1)} of ${String(attempts.length)}`, 'strong'),
      ...field('target', target || '-', columns),
      ...field('start', durationText(startUs), columns),
      ...field('time', `${took} until the head of the response`, columns),
      ...field(
        'result',
        result,
        columns,
        endUs === undefined ? 'plain' : statusTone(error === null ? status : null),
      ),
      [],
    )
  }
  for (const { message, eventEnd } of events)
    if (message.type === 'policyEvent' && (message.kind === 'retry' || message.kind === 'llm_failover'))
      lines.push(...field(message.kind, `${durationText(eventEnd)}: ${message.details}`, columns))
  return lines
}
