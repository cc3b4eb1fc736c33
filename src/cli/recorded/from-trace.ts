import type { TraceEvent } from '../../model/trace/trace-event.ts'
import type { TraceState } from '../../model/trace/trace-state.ts'
import { fieldsOf, type RecordedRequest, withoutRedacted } from './recorded-request.ts'

/** The requests of trace events, in the order in which they began. Those whose beginning is missing are left out. */
export const fromTrace = (events: readonly TraceEvent[]): readonly RecordedRequest[] => {
  const byRequest = Map.groupBy(events, ({ requestId }) => requestId)
  return [...byRequest.values()].flatMap((all) => requestOf(all) ?? [])
}

const requestOf = (events: readonly TraceEvent[]): RecordedRequest | undefined => {
  const initial = stateAt(events, 'initial request')
  const { request, source, destination, proxy } = initial ?? {}
  if (!request) return undefined
  const body = bodyAt(events, 'final request')
  const { headers, redacted } = withoutRedacted(fieldsOf(request.headers))
  const final = stateAt(events, 'final request')
  const raw = stateAt(events, 'raw response')?.response
  const last = stateAt(events, 'gateway policies') ?? final
  return {
    method: request.method,
    url: request.uri,
    headers: headers.filter(([name]) => name !== 'content-length'),
    body: body?.bytes,
    redacted: [...redacted, ...(request.uri.includes('<redacted>') ? ['query'] : [])],
    isCut: body?.isCut ?? isMissing(headers),
    gateway: (last?.proxy.gateway ?? proxy?.gateway)?.name,
    port: destination?.port,
    clientAddress: source?.address,
    outcome: {
      status: lastStatus(events),
      route: routeName(events),
      backend: final?.backend?.name,
      ...(final?.request && {
        sent: {
          method: final.request.method,
          target: final.request.pathAndQuery,
          headers: fieldsOf(final.request.headers),
          body: body?.bytes,
        },
      }),
    },
    response: raw && {
      status: raw.code,
      headers: withoutRedacted(fieldsOf(raw.headers)).headers,
      body: (bodyAt(events, 'llm raw response') ?? bodyAt(events, 'response'))?.bytes,
    },
  }
}

/** Whether there was a body that the trace does not have: it was recorded without bodies. */
const isMissing = (headers: RecordedRequest['headers']): boolean =>
  headers.some(([name, value]) => name === 'content-length' && value !== '0')

const stateAt = (events: readonly TraceEvent[], stage: string): TraceState | undefined => {
  const found = events.find(
    ({ message }) =>
      (message.type === 'requestSnapshot' || message.type === 'responseSnapshot') && message.stage === stage,
  )?.message
  return found && 'requestState' in found ? found.requestState : undefined
}

const bodyAt = (
  events: readonly TraceEvent[],
  stage: string,
): { readonly bytes: Buffer; readonly isCut: boolean } | undefined => {
  const found = events.find(
    ({ message }) => message.type === 'bodySnapshot' && message.stage === stage,
  )?.message
  if (found?.type !== 'bodySnapshot') return undefined
  const bytes = Buffer.from(found.body, 'base64')
  return { bytes, isCut: (found.lengthBytes ?? bytes.length) > bytes.length }
}

const lastStatus = (events: readonly TraceEvent[]): number | undefined => {
  const finished = events.findLast(({ message }) => message.type === 'requestFinished')?.message
  return finished?.type === 'requestFinished' ? (finished.status ?? undefined) : undefined
}

/** `namespace/name`, from the state of any snapshot behind the choice. */
const routeName = (events: readonly TraceEvent[]): string | undefined => {
  for (const { message } of events) {
    const route =
      'requestState' in message
        ? (message.requestState.proxy as TraceState['proxy'] | undefined)?.route
        : undefined
    if (route) return `${route.namespace}/${route.name}`
  }
  return undefined
}
