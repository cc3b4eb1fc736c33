import type { TraceRecord } from './trace-record.ts'

/** A request on one line, such as `GET shop.example.com/cart 200 8.4ms route=shop → 10.0.0.1:8080 200 2.8ms`. */
export const traceSummary = (record: TraceRecord): string => {
  const { id, method, host, path, route, attempts, stages, llm, end } = record
  const parts = [
    ...(id === '' ? [] : [`#${id}`]),
    `${method || '?'} ${host}${path}`,
    ...(end === undefined
      ? ['unfinished']
      : [
          String(end.status ?? '-'),
          milliseconds(end.atUs),
          ...(end.code === null ? [] : [`code=${end.code}`]),
        ]),
    ...(route === undefined ? [] : [`route=${route.selected ?? 'none'}`]),
    ...attempts.map(({ target, status, error, startUs, endUs }) =>
      [
        '→',
        target || '?',
        error ?? String(status ?? '-'),
        ...(endUs === undefined ? [] : [milliseconds(endUs - startUs)]),
      ].join(' '),
    ),
    ...stages.filter(({ status }) => status !== null).map(({ kind, status }) => `${kind}:${String(status)}`),
    ...(record.authorizations.some(({ result }) => result === 'deny') ? ['authorization:deny'] : []),
    ...(llm === undefined ? [] : [`llm=${llm.provider}/${llm.model}${llm.isStreaming ? ' stream' : ''}`]),
    ...(llm?.cost?.cost?.total === undefined ? [] : [`cost=$${llm.cost.cost.total.toFixed(6)}`]),
    ...mcpParts(record),
    ...(end?.error ? [`error="${end.error}"`] : []),
  ]
  return parts.join(' ').replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
}

const milliseconds = (us: number): string => `${(us / 1000).toFixed(1)}ms`

const mcpParts = ({ mcp }: TraceRecord): string[] =>
  mcp.flatMap((step) => {
    if (step.step === 'heard') return [`mcp=${step.method}`]
    return step.step === 'mapped' ? [`${step.kind}=${step.target}/${step.own}`] : []
  })
