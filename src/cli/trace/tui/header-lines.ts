import type { SnapshotRecord, TraceRecord } from '../trace-record.ts'
import { type Line, line, wrapLine } from './span.ts'

/** Headers of request and response, before and after the gateway, as a difference. */
export const headerLines = ({ snapshots }: TraceRecord, columns: number): readonly Line[] => {
  const requests = snapshots.filter(({ of, state }) => of === 'request' && state.request)
  const responses = snapshots.filter(({ of, state }) => of === 'response' && state.response)
  const shown = [
    ...between('Request', requests, requestFields, columns),
    ...between('Response', responses, responseFields, columns),
  ]
  return shown.length === 0 ? [line('No headers have been seen yet.', 'dim')] : shown
}

type Fields = readonly (readonly [name: string, value: string])[]

const between = (
  title: string,
  snapshots: readonly SnapshotRecord[],
  fieldsOf: (snapshot: SnapshotRecord) => Fields,
  columns: number,
): readonly Line[] => {
  const [first] = snapshots
  const last = snapshots.at(-1)
  if (!first || !last) return []
  const before = fieldsOf(first)
  const after = fieldsOf(last)
  const has = (fields: Fields, [name, value]: Fields[number]) =>
    fields.some((one) => one[0] === name && one[1] === value)
  const names = [...new Set([...before, ...after].map(([name]) => name))]
  const lines = names.flatMap((name) => {
    const old = before.filter((one) => one[0] === name)
    const now = after.filter((one) => one[0] === name)
    return [
      ...old.filter((one) => !has(now, one)).flatMap((one) => wrapLine(fieldText(one), columns, 'bad', '- ')),
      ...now.flatMap((one) =>
        has(old, one)
          ? wrapLine(fieldText(one), columns, 'plain', '  ')
          : wrapLine(fieldText(one), columns, 'good', '+ '),
      ),
    ]
  })
  const stages = first === last ? first.stage : `${first.stage} → ${last.stage}`
  return [line(`${title}: ${stages}`, 'strong'), ...lines, []]
}

const fieldText = ([name, value]: Fields[number]): string => (name === '' ? value : `${name}: ${value}`)

const requestFields = ({ state: { request } }: SnapshotRecord): Fields => [
  ['', `${request?.method ?? ''} ${request?.uri ?? ''} ${request?.version ?? ''}`.trim()],
  ...flat(request?.headers ?? {}),
]

const responseFields = ({ state: { response } }: SnapshotRecord): Fields => [
  ['', String(response?.code ?? '')],
  ...flat(response?.headers ?? {}),
]

const flat = (headers: Readonly<Record<string, string | readonly string[]>>): Fields =>
  Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly string[]) : [String(value)]).map(
      (one) => [name, one] as const,
    ),
  )
