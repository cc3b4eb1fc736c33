import type { TraceGroup } from '../trace-groups.ts'
import type { TraceRecord } from '../trace-record.ts'
import { cell, durationText, type Line, span, statusTone } from './span.ts'

/** The head of the columns of {@link requestLine}. */
export const requestLineHead = `${'#'.padStart(6)} ${'METHOD'.padEnd(7)} STATUS ${'TIME'.padStart(8)} REQUEST → TARGET`

/** A request in the list. */
export const requestLine = ({ number }: TraceGroup, record: TraceRecord): Line => {
  const { id, method, host, path, attempts, end } = record
  const status = end === undefined ? '…' : end.status === null ? '-' : String(end.status)
  const tone = end === undefined ? 'accent' : statusTone(end.status)
  const target = attempts.at(-1)?.target ?? ''
  return [
    cell(id === '' ? String(number) : id, 6, 'dim', 'right'),
    span(' '),
    cell(method || '?', 7, 'strong'),
    span(' '),
    cell(status, 6, tone),
    span(' '),
    cell(end === undefined ? '' : durationText(end.atUs), 8, 'plain', 'right'),
    span(' '),
    span(`${host}${path}`),
    span(target === '' ? '' : ` → ${target}`, 'dim'),
  ]
}
