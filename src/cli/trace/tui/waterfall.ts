import type { TraceEvent, TraceMessage } from '../../../model/trace/trace-event.ts'
import type { StageRecord } from '../trace-record-parts.ts'
import type { TraceRecord } from '../trace-record.ts'
import { mcpStepText } from './mcp-step-text.ts'
import { cell, durationText, type Line, line, span, statusTone, type Tone } from './span.ts'

/** A step of a request, with its position on the time axis. */
interface WaterfallRow {
  readonly name: string
  readonly startUs: number
  readonly endUs: number
  /** The time that is shown; undefined for a moment. */
  readonly tookUs: number | undefined
  readonly verdict: string
  readonly tone: Tone
}

/** The steps of a request as bars, in the order in which they began, with times and verdicts. */
export const waterfallLines = (record: TraceRecord, columns: number): readonly Line[] => {
  const rows = rowsOf(record)
  const totalUs = Math.max(record.end?.atUs ?? 0, ...rows.map(({ endUs }) => endUs), 1)
  const { end } = record
  const request: WaterfallRow = {
    name: 'request',
    startUs: 0,
    endUs: totalUs,
    tookUs: totalUs,
    verdict: end ? endText(end) : 'under way',
    tone: end ? statusTone(end.status) : 'accent',
  }
  const nameColumns = Math.max(12, Math.min(32, Math.floor(columns * 0.3)))
  const barColumns = Math.max(6, Math.floor((columns - nameColumns - timeColumns - 3) / 2))
  const draw = (row: WaterfallRow): Line => [
    cell(row.name, nameColumns, row === request ? 'strong' : 'plain'),
    span(' '),
    cell(barText(row, totalUs, barColumns), barColumns, row.tone),
    cell(row.tookUs === undefined ? '' : durationText(row.tookUs), timeColumns, 'plain', 'right'),
    span(' '),
    span(row.verdict, row.tone),
  ]
  const head = line(
    `${'STEP'.padEnd(nameColumns)} ${'0'.padEnd(barColumns)}${'TIME'.padStart(timeColumns)} VERDICT`,
    'dim',
  )
  return [head, draw(request), ...rows.map(draw)]
}

const timeColumns = 9

const endText = ({ status, code, error }: NonNullable<TraceRecord['end']>): string =>
  [status === null ? 'cancelled' : String(status), code ?? '', error ?? ''].filter(Boolean).join(' ')

const barText = ({ startUs, endUs, tookUs }: WaterfallRow, totalUs: number, columns: number): string => {
  const start = Math.min(columns - 1, Math.max(0, Math.floor((startUs / totalUs) * columns)))
  if (tookUs === undefined) return `${' '.repeat(start)}╵`
  const cells = Math.ceil((endUs / totalUs) * columns) - start
  return ' '.repeat(start) + '█'.repeat(Math.max(1, Math.min(cells, columns - start)))
}

const rowsOf = (record: TraceRecord): readonly WaterfallRow[] =>
  [
    ...record.stages.map(stageRow),
    ...record.attempts.map(({ target, startUs, endUs, status, error }) => ({
      name: `→ ${target || 'upstream'}`,
      startUs,
      endUs: endUs ?? startUs,
      tookUs: endUs === undefined ? undefined : endUs - startUs,
      verdict: endUs === undefined ? 'no response yet' : (error ?? `${String(status ?? '-')} head received`),
      tone: endUs === undefined ? ('accent' as const) : statusTone(error === null ? status : null),
    })),
    ...record.events.flatMap(eventRow),
  ].sort((a, b) => a.startUs - b.startUs)

const stageRow = ({ kind, verdict, text, startUs, endUs, tookUs, status, code }: StageRecord) => {
  const tone: Tone = status === null ? (verdict === 'applied' ? 'good' : 'dim') : statusTone(status)
  const took = tookUs ?? (endUs > startUs ? endUs - startUs : undefined)
  const mark = verdict === 'skipped' ? 'skipped:' : (status ?? 0) >= 400 ? '✗' : '✓'
  const parts = [mark, status === null ? '' : String(status), code ?? '', text || verdict]
  return { name: kind, startUs, endUs, tookUs: took, verdict: parts.filter(Boolean).join(' '), tone }
}

/** Rows of events that are no stages and no calls. */
const eventRow = ({ message, eventStart, eventEnd }: TraceEvent): WaterfallRow[] => {
  const tookUs = eventStart === null ? undefined : eventEnd - eventStart
  const row = (name: string, verdict: string, tone: Tone) => [
    { name, startUs: eventStart ?? eventEnd, endUs: eventEnd, tookUs, verdict, tone },
  ]
  if (message.type === 'routeSelection')
    return message.selectedRoute === null
      ? row('route', 'none matched', 'bad')
      : row('route', message.selectedRoute, 'good')
  if (message.type === 'authorizationResult')
    return row('authorization', rulesText(message), message.result === 'allow' ? 'good' : 'bad')
  if (message.type !== 'policyEvent') return []
  if (message.kind === 'mcp')
    return row(`mcp ${message.details.step}`, mcpStepText(message.details), 'accent')
  if (message.kind === 'guardrail') {
    const { guard, phase, action, tookUs: guardUs } = message.details
    const tone = action === 'Allow' ? 'good' : 'warn'
    return [
      {
        name: `guard ${guard}`,
        startUs: eventEnd - guardUs,
        endUs: eventEnd,
        tookUs: guardUs,
        verdict: `${phase}: ${action}`,
        tone,
      },
    ]
  }
  return typeof message.details === 'string' ? row(message.kind, message.details, 'warn') : []
}

const rulesText = ({ result, rules }: Extract<TraceMessage, { type: 'authorizationResult' }>): string =>
  `${result}: ${String(rules.filter(({ matched }) => matched).length)} of ${String(rules.length)} rules matched`
