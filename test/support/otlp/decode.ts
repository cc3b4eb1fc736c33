import assert from 'node:assert/strict'
import type { AnyValue, KeyValue } from './opentelemetry/proto/common/v1/common.gen.ts'
import { type LogRecord, SeverityNumber } from './opentelemetry/proto/logs/v1/logs.gen.ts'
import { type Span, Span_SpanKind, Status_StatusCode } from './opentelemetry/proto/trace/v1/trace.gen.ts'

/** A span as tests read it. */
export interface DecodedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly traceState: string
  readonly kind: 'SERVER' | 'CLIENT'
  readonly status: 'UNSET' | 'OK' | 'ERROR'
  readonly message: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly {
    readonly name: string
    readonly attributes: Readonly<Record<string, unknown>>
  }[]
  readonly startMs: number
  readonly endMs: number
}

/** A log record as tests read it. */
export interface DecodedLog {
  readonly severity: string
  readonly severityText: string
  readonly body: unknown
  readonly traceId: string
  readonly spanId: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly timeMs: number
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const ms = (nanoseconds: bigint): number => Number(nanoseconds / 1_000n) / 1_000

/** Integers come as bigint, so that tests see the type. */
const decodeValue = ({ value }: AnyValue): unknown => value.value

export const decodeAttributes = (pairs: readonly KeyValue[]): Readonly<Record<string, unknown>> => {
  const names = pairs.map(({ key }) => key)
  assert.equal(new Set(names).size, names.length, 'names of attributes are unique')
  return Object.fromEntries(pairs.map(({ key, value }) => [key, value && decodeValue(value)]))
}

/** The rules of the specification that hold for every span. */
export const checkSpan = (span: Span): void => {
  assert.equal(span.traceId.length, 16)
  assert.equal(span.spanId.length, 8)
  assert.ok(span.parentSpanId.length === 0 || span.parentSpanId.length === 8)
  assert.ok(span.traceId.some((byte) => byte !== 0) && span.spanId.some((byte) => byte !== 0))
  assert.ok(span.kind === Span_SpanKind.SERVER || span.kind === Span_SpanKind.CLIENT)
  assert.ok(span.startTimeUnixNano <= span.endTimeUnixNano, 'a span ends after its start')
  const ageMs = Date.now() - ms(span.startTimeUnixNano)
  assert.ok(ageMs > -1_000 && ageMs < 600_000, `a span began ${ageMs} ms ago`)
  assert.ok(Object.values<number>(Status_StatusCode).includes(span.status?.code ?? -1))
  assert.equal((span.flags & 0x1) === 1, true, 'the sampled flag is set')
  assert.ok(span.name !== '')
}

const nameIn = (names: Readonly<Record<string, number>>, value: number): string =>
  Object.entries(names).find(([, number]) => number === value)?.[0] ?? String(value)

export const decodeSpan = (span: Span): DecodedSpan => ({
  name: span.name,
  traceId: hex(span.traceId),
  spanId: hex(span.spanId),
  parentSpanId: hex(span.parentSpanId),
  traceState: span.traceState,
  kind: span.kind === Span_SpanKind.SERVER ? 'SERVER' : 'CLIENT',
  status: nameIn(Status_StatusCode, span.status?.code ?? 0) as DecodedSpan['status'],
  message: span.status?.message ?? '',
  attributes: decodeAttributes(span.attributes),
  events: span.events.map(({ name, attributes }) => ({ name, attributes: decodeAttributes(attributes) })),
  startMs: ms(span.startTimeUnixNano),
  endMs: ms(span.endTimeUnixNano),
})

export const decodeLog = (record: LogRecord): DecodedLog => {
  const ageMs = Date.now() - ms(record.timeUnixNano)
  assert.ok(ageMs > -1_000 && ageMs < 600_000, `a record is ${ageMs} ms old`)
  assert.ok(record.traceId.length === 0 || record.traceId.length === 16)
  return {
    severity: nameIn(SeverityNumber, record.severityNumber),
    severityText: record.severityText,
    body: record.body && decodeValue(record.body),
    traceId: hex(record.traceId),
    spanId: hex(record.spanId),
    attributes: decodeAttributes(record.attributes),
    timeMs: ms(record.timeUnixNano),
  }
}
