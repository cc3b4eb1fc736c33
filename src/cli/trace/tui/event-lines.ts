import type { TraceEvent } from '../../../model/trace/trace-event.ts'
import type { TraceRecord } from '../trace-record.ts'
import { cell, durationText, type Line, line, span, type Tone } from './span.ts'

/** All events of a request, one a line. */
export const eventLines = ({ events }: TraceRecord): readonly Line[] => [
  line(`${'AT'.padStart(timeColumns)}  ${'EVENT'.padEnd(typeColumns)} DETAILS`, 'dim'),
  ...events.map((event) => [
    cell(durationText(event.eventEnd), timeColumns, 'plain', 'right'),
    span('  '),
    cell(event.message.type, typeColumns, tones[event.severity] ?? 'plain'),
    span(' '),
    span(detailsOf(event)),
  ]),
]

const timeColumns = 8
const typeColumns = 19

const tones: Readonly<Record<string, Tone>> = { success: 'good', warn: 'warn', error: 'bad' }

/** The fields of an event. States and bodies are shown by other views, and would fill the screen. */
const detailsOf = ({ message }: TraceEvent): string => {
  const parts = Object.entries(message).flatMap(([name, value]) => {
    if (name === 'type' || value === null || value === undefined) return []
    if (name === 'requestState' || name === 'body') return []
    if (name === 'effectivePolicy') return [Object.keys(value as object).join(',')]
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return [name === 'stage' || name === 'phase' || name === 'kind' ? text : `${name}=${text}`]
  })
  const all = parts.join(' ')
  return all.length > maxDetails ? `${all.slice(0, maxDetails)}…` : all
}

const maxDetails = 2000
