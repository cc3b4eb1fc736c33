import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import { RequestSpans } from '../../model/tracing/request-spans.ts'
import type { RequestTracing, SamplingDecision } from '../../model/tracing/request-tracing.ts'
import { SpanScope } from '../../model/tracing/span-scope.ts'
import {
  combineTraceState,
  parseTraceParent,
  RANDOM,
  type TraceParent,
} from '../../protocols/trace-context.ts'

/** Which requests are sampled: a share, those for which the expression gives a share or true, or as the caller did. */
export type Sampler = number | Evaluate | 'parent'

/** Which requests are traced. */
export interface RequestTracingOptions {
  /** For requests without a valid trace context. */
  readonly randomSampling: Sampler
  /** For requests with one. */
  readonly clientSampling: Sampler
  /** Gives 0 ≤ number < 1. */
  readonly random: () => number
}

/**
 * Begins the server spans of requests. The trace context of a sampled request becomes that of its server span, so that
 * the receiver of the request continues the trace; an invalid context is replaced. The context of other requests stays as
 * it is.
 */
export const requestTracing = ({
  randomSampling,
  clientSampling,
  random,
}: RequestTracingOptions): RequestTracing => ({
  begin: (x) => {
    const { headers } = x.request
    const parent = parentOf(headers)
    const isSampled = parent
      ? samples(clientSampling, x, parent, () => shareOf(parent.traceId))
      : samples(randomSampling, x, undefined, random)
    if (isSampled) beginSpans(x, headers, parent)
    return decisions[parent ? 'client' : 'random'][isSampled ? 'sampled' : 'notSampled']
  },
})

const beginSpans = (x: Exchange, headers: Headers, parent: TraceParent | undefined): void => {
  // A state without a parent belongs to no trace.
  const traceState = parent && combineTraceState(headers.all('tracestate'))
  const spans = new RequestSpans(
    parent && {
      traceId: parent.traceId,
      spanId: parent.spanId,
      flags: parent.isRandom ? RANDOM : 0,
      traceState,
    },
    x.request.startedAt,
  )
  x.span = new SpanScope(spans, spans.server)
  headers.set('traceparent', spans.traceParent(spans.server))
  if (traceState !== undefined) headers.set('tracestate', traceState)
  else headers.delete('tracestate')
}

/** Several contexts contradict one another: none of them is valid. */
const parentOf = (headers: Headers): TraceParent | undefined => {
  const value = headers.get('traceparent')
  return value === undefined ? undefined : parseTraceParent(value)
}

const samples = (
  sampler: Sampler,
  x: Exchange,
  parent: TraceParent | undefined,
  draw: () => number,
): boolean => {
  if (sampler === 'parent') return parent?.sampled ?? false
  const share = typeof sampler === 'number' ? sampler : shareFrom(sampler(x))
  return share >= 1 || (share > 0 && draw() < share)
}

const shareFrom = (result: ReturnType<Evaluate>): number => {
  if (!('value' in result)) return 0
  const { value } = result
  const share = typeof value === 'boolean' || typeof value === 'bigint' ? Number(value) : value
  return typeof share === 'number' && share > 0 ? share : 0
}

/** A trace has the same position in every process, so that all of them sample the same traces. */
const shareOf = (traceId: string): number => Number.parseInt(traceId.slice(-13), 16) / 2 ** 52

const decisions: Readonly<
  Record<'client' | 'random', Readonly<Record<'sampled' | 'notSampled', SamplingDecision>>>
> = {
  client: { sampled: 'sample (client)', notSampled: 'not sampled (client)' },
  random: { sampled: 'sample (random)', notSampled: 'not sampled (random)' },
}
