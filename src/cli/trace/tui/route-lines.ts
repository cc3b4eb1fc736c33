import type { TraceRecord } from '../trace-record.ts'
import { type Line, line, span, wrapLine } from './span.ts'

/** Listener and route of a request, and the routes that were not chosen. */
export const routeLines = (record: TraceRecord, columns: number): readonly Line[] => {
  const { bind, listener, host, path, route, method } = record
  const lines: Line[] = [
    ...field('request', `${method} ${host}${path}`, columns),
    ...field('bind', bind || '-', columns),
    ...field('listener', listener || '-', columns),
  ]
  if (!route) return [...lines, [], line('No route was selected: the request ended before.', 'warn')]
  const { selected, evaluated, reasons } = route
  const others = evaluated.filter((name) => name !== selected)
  lines.push(...field('route', selected ?? 'none matched', columns), [])
  if (selected === null)
    lines.push(line(`None of ${String(evaluated.length)} routes matches this request:`, 'bad'))
  else if (others.length === 0) lines.push(line('It is the only route of this listener.', 'dim'))
  else
    lines.push(
      line(
        `${String(others.length)} of ${String(evaluated.length)} routes of this listener were not chosen:`,
      ),
    )
  if (selected !== null) lines.push([span('✓ ', 'good'), span(selected, 'good')])
  return [...lines, ...others.flatMap((name) => otherRoute(name, reasons[name], columns))]
}

const otherRoute = (name: string, reason: string | undefined, columns: number): readonly Line[] => [
  line(`✗ ${name}`, 'dim'),
  ...(reason === undefined ? [] : wrapLine(reason, columns, 'dim', '  ')),
]

/** A name and its value, on as many lines as it takes. */
export const field = (
  name: string,
  value: string,
  columns: number,
  tone: Line[number]['tone'] = 'plain',
): Line[] => {
  const label = name.padEnd(fieldColumns)
  return wrapLine(value, columns, tone, ' '.repeat(label.length)).map((one, index) =>
    index === 0 ? [span(label, 'accent'), ...one.slice(1)] : one,
  )
}

const fieldColumns = 12
