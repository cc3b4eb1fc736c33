import { performance } from 'node:perf_hooks'
import { randomHex } from './random-ids.ts'
import { Span } from './span.ts'

/** The trace context of a caller. */
export interface ParentSpan {
  readonly traceId: string
  readonly spanId: string
  /** The flags to send on, besides the sampled one. */
  readonly flags: number
  readonly traceState: string | undefined
}

/** The spans of one sampled request: its server span, and the spans of the calls that were made for it. */
export class RequestSpans {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** Flags of W3C Trace Context, sampled included. */
  readonly flags: number
  readonly traceState: string | undefined
  /** Whether the trace began at a caller. */
  readonly hasRemoteParent: boolean
  readonly server: Span
  /** Spans that were not recorded because there were too many. */
  dropped = 0
  #count = 0
  #ended: Span[] = []
  #isComplete = false
  #onLateSpan: ((span: Span) => void) | undefined = undefined

  constructor(parent: ParentSpan | undefined, startedAt: number) {
    this.traceId = parent?.traceId ?? randomHex(16)
    this.flags = (parent?.flags ?? 0) | SAMPLED
    this.traceState = parent?.traceState
    this.hasRemoteParent = parent !== undefined
    this.server = new Span(randomHex(8), parent?.spanId, 'server', 'unknown', startedAt)
  }

  /** Begins the span of a call; undefined if there are too many. */
  start(parentSpanId: string, name: string): Span | undefined {
    if (this.#count >= maxSpans) {
      this.dropped++
      return undefined
    }
    this.#count++
    return new Span(randomHex(8), parentSpanId, 'client', name)
  }

  /** Ends a span, once; calls after the first have no effect. */
  end(span: Span): void {
    if (span.endedAt > 0) return
    span.endedAt = performance.now()
    if (!this.#isComplete) this.#ended.push(span)
    else this.#onLateSpan?.(span)
  }

  /**
   * The request has ended.
   *
   * @param onLateSpan Receives calls that end later; without it they are discarded.
   * @returns The calls that have ended, in order.
   */
  complete(onLateSpan: ((span: Span) => void) | undefined): readonly Span[] {
    this.#isComplete = true
    this.#onLateSpan = onLateSpan
    const ended = this.#ended
    this.#ended = []
    return ended
  }

  /** The value of `traceparent` for a request that belongs to a span. */
  traceParent(span: Span): string {
    return `00-${this.traceId}-${span.spanId}-${this.flags < 16 ? '0' : ''}${this.flags.toString(16)}`
  }
}

/** Calls of one request that get a span. */
const maxSpans = 128
const SAMPLED = 1
