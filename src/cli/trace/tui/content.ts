import type { TraceGroup } from '../trace-groups.ts'
import { traceRecord, type TraceRecord } from '../trace-record.ts'
import { attemptLines } from './attempt-lines.ts'
import { bodyLines } from './body-lines.ts'
import { curlCommand } from './curl-command.ts'
import { eventLines } from './event-lines.ts'
import { headerLines } from './header-lines.ts'
import { helpLines } from './help-lines.ts'
import { policyLines } from './policy-lines.ts'
import { protocolLines } from './protocol-lines.ts'
import { requestLine } from './request-line.ts'
import { routeLines } from './route-lines.ts'
import { type Line, line, wrapLine } from './span.ts'
import { selectedRequest, type TuiState } from './tui-state.ts'
import { waterfallLines } from './waterfall.ts'

/** All lines of what is open, of which the screen shows some. */
export const contentLines = (state: TuiState): readonly Line[] => {
  const { overlay, screen, size, requests } = state
  if (overlay === 'help') return helpLines()
  const request = selectedRequest(state)
  if (overlay === 'curl' && request) return curlLines(groupRecord(request), size.columns)
  if (screen === 'list') return requests.map((one) => requestLine(one, groupRecord(one)))
  return request ? tabLines(state, request) : []
}

/** How many lines of them fit on the screen. */
export const contentRows = ({ overlay, screen, size }: TuiState): number =>
  Math.max(1, size.rows - (overlay === undefined && screen === 'request' ? 4 : 3))

/** The record of a request, made once for the events that it has. */
export const groupRecord = (group: TraceGroup): TraceRecord => {
  const known = records.get(group)
  if (known?.count === group.events.length) return known.record
  const record = traceRecord(group.events)
  records.set(group, { count: group.events.length, record })
  return record
}

const records = new WeakMap<TraceGroup, { readonly count: number; readonly record: TraceRecord }>()

/** The last view of a record is kept, so that scrolling a long one is cheap. */
const tabLines = ({ tab, size, hasBodies }: TuiState, request: TraceGroup): readonly Line[] => {
  const record = groupRecord(request)
  const { columns } = size
  const last = lastViews.get(record)
  if (last?.tab === tab && last.columns === columns && last.hasBodies === hasBodies) return last.lines
  const lines = viewOf(tab, record, columns, hasBodies)
  lastViews.set(record, { tab, columns, hasBodies, lines })
  return lines
}

const lastViews = new WeakMap<
  TraceRecord,
  {
    readonly tab: number
    readonly columns: number
    readonly hasBodies: boolean
    readonly lines: readonly Line[]
  }
>()

const viewOf = (tab: number, record: TraceRecord, columns: number, hasBodies: boolean): readonly Line[] => {
  const views = [waterfallLines, routeLines, policyLines, headerLines, attemptLines, protocolLines] as const
  if (tab === views.length) return bodyLines(record, columns, hasBodies)
  return (views[tab] ?? eventLines)(record, columns)
}

const curlLines = (record: TraceRecord, columns: number): readonly Line[] => {
  const { command, notes } = curlCommand(record)
  return [
    ...notes.map((note) => line(note, 'warn')),
    [],
    ...command.split('\n').flatMap((one) => wrapLine(one, columns)),
  ]
}
