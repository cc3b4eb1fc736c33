import { performance } from 'node:perf_hooks'

/** A value that OTLP has a type for. Integers are sent as such. */
export type SpanAttribute = string | number | boolean

/** Attributes by name. */
export type SpanAttributes = Record<string, SpanAttribute>

/** Something that happened during a span. */
export interface SpanEvent {
  readonly name: string
  /** `performance.now()`. */
  readonly at: number
  readonly attributes: SpanAttributes
}

/** One operation of a traced request. Plain data, so that recording costs little; it is converted when it is exported. */
export class Span {
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** Undefined for the first span of a trace. */
  readonly parentSpanId: string | undefined
  readonly kind: 'server' | 'client'
  name: string
  /** `performance.now()`; `endedAt` is 0 before the end. */
  readonly startedAt: number
  endedAt = 0
  readonly attributes: SpanAttributes = {}
  events: SpanEvent[] | undefined = undefined
  /** Why it failed: makes its status an error. */
  error: string | undefined = undefined

  constructor(
    spanId: string,
    parentSpanId: string | undefined,
    kind: 'server' | 'client',
    name: string,
    startedAt: number = performance.now(),
  ) {
    this.spanId = spanId
    this.parentSpanId = parentSpanId
    this.kind = kind
    this.name = name
    this.startedAt = startedAt
  }

  /**
   * Records a failure: status, attribute `error.type` and an event `exception`.
   *
   * @param type A stable code of the error.
   * @param message Contains no credentials.
   */
  fail(type: string, message: string): void {
    this.error = message
    this.attributes['error.type'] = type
    this.recordException(type, message)
  }

  /** Records an event `exception`, at most {@link maxEvents}. */
  recordException(type: string, message: string): void {
    this.events ??= []
    if (this.events.length >= maxEvents) return
    const attributes = { 'exception.type': type, 'exception.message': message }
    this.events.push({ name: 'exception', at: performance.now(), attributes })
  }
}

/** Events of one span. */
const maxEvents = 16
