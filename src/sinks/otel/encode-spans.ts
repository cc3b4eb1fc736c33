import type { SpanAttributes, Span } from '../../model/tracing/span.ts'
import type { RequestSpans } from '../../model/tracing/request-spans.ts'
import type { EpochClock } from './epoch-clock.ts'
import type { EncodeRecords } from './export-queue.ts'

/** An ended span and the trace that it belongs to. */
export interface SpanRecord {
  readonly spans: RequestSpans
  readonly span: Span
}

/** What all spans of a process have. */
export interface SpanOrigin {
  readonly clock: EpochClock
  readonly version: string
  /** Read for each message, because a reload may change it. */
  readonly resource: () => SpanAttributes
}

/** Loads the encoder of OpenTelemetry's SDK, which takes some 50 ms, and makes export requests with it. */
export const loadSpanEncoder = async (origin: SpanOrigin): Promise<EncodeRecords<SpanRecord>> => {
  const { ProtobufTraceSerializer } = await import('./otlp-library.ts')
  const { clock, version } = origin
  const instrumentationScope = { name: 'agentgateway', version }
  return (records) => {
    clock.synchronize()
    const resource = sdkResource(origin.resource())
    const spans = records.map((record) => sdkSpan(record, clock, resource, instrumentationScope))
    const bytes = ProtobufTraceSerializer.serializeRequest(spans)
    if (!bytes) throw new TypeError('spans were not encoded')
    return bytes
  }
}

type SdkSpan = Parameters<
  (typeof import('./otlp-library.ts'))['ProtobufTraceSerializer']['serializeRequest']
>[0][number]

/** A resource as the SDK has it. */
export const sdkResource = (attributes: SpanAttributes): SdkSpan['resource'] => {
  const resource: SdkSpan['resource'] = {
    attributes,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  }
  return resource
}

const sdkSpan = (
  { span, spans }: SpanRecord,
  clock: EpochClock,
  resource: SdkSpan['resource'],
  instrumentationScope: SdkSpan['instrumentationScope'],
): SdkSpan => {
  const { traceId, traceState, flags: traceFlags } = spans
  const isServer = span.kind === 'server'
  const state = traceState === undefined ? {} : { traceState: sdkTraceState(traceState) }
  return {
    name: span.name,
    kind: isServer ? SERVER : CLIENT,
    spanContext: () => ({ traceId, spanId: span.spanId, traceFlags, ...state }),
    ...(span.parentSpanId !== undefined && {
      parentSpanContext: { traceId, spanId: span.parentSpanId, traceFlags, isRemote: isServer },
    }),
    startTime: clock.hrTime(span.startedAt),
    endTime: clock.hrTime(span.endedAt),
    duration: [0, 0],
    ended: true,
    status: span.error === undefined ? { code: UNSET } : { code: ERROR, message: span.error },
    attributes: span.attributes,
    events: (span.events ?? []).map(({ name, at, attributes }) => ({
      name,
      time: clock.hrTime(at),
      attributes,
    })),
    links: [],
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

/** The encoder reads the text only. */
const sdkTraceState = (text: string): NonNullable<ReturnType<SdkSpan['spanContext']>['traceState']> => {
  const state = { get: () => undefined, set: () => state, unset: () => state, serialize: () => text }
  return state
}

/** `SpanKind` and `SpanStatusCode` of `@opentelemetry/api`. */
const SERVER = 1
const CLIENT = 2
const UNSET = 0
const ERROR = 2
