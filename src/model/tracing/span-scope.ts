import type { Headers } from '../exchange/headers.ts'
import type { RequestSpans } from './request-spans.ts'
import type { Span } from './span.ts'

/** The spans of a request, and the one of them that calls belong to. */
export class SpanScope {
  readonly spans: RequestSpans
  readonly span: Span
  /** The last call of an upstream; what becomes known later, such as the use of tokens, is recorded there. */
  lastAttempt: Span | undefined = undefined

  constructor(spans: RequestSpans, span: Span) {
    this.spans = spans
    this.span = span
  }

  /**
   * Begins the span of a call; undefined if the request has too many.
   *
   * @param kind Of the call, as in metrics: `Primary` or `Policy`.
   * @param subtype Of the call, as in metrics, such as `Http` or `ExtAuthz`.
   */
  start(kind: 'Primary' | 'Policy', subtype: string, name: string = subtype): Span | undefined {
    const span = this.spans.start(this.span.spanId, name)
    if (!span) return undefined
    span.attributes['agentgateway.outbound.kind'] = kind
    span.attributes['agentgateway.outbound.subtype'] = subtype
    return span
  }

  /** The scope of calls that are made within a call; this one if that has no span. */
  within(span: Span | undefined): SpanScope {
    return span ? new SpanScope(this.spans, span) : this
  }

  /**
   * Makes a span the parent of what the receiver of a request does. A request whose trace context was removed by a
   * policy stays without one.
   */
  propagate(span: Span | undefined, headers: Headers): void {
    if (span && headers.has('traceparent')) headers.set('traceparent', this.spans.traceParent(span))
  }
}
