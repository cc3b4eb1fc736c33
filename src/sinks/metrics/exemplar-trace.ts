import type { Exchange } from '../../model/exchange/exchange.ts'
import { parseTraceParent } from '../../protocols/trace-context.ts'

/**
 * The id of the trace that an exchange belongs to, if the trace is sampled: the trace of an exemplar. It is that of the
 * exchange's span, or read from a valid `traceparent` of the client with the sampled flag.
 */
export const sampledTraceId = ({ span, request: { headers } }: Exchange): string | undefined => {
  if (span) return span.spans.traceId
  const parent = headers.get('traceparent')
  if (parent === undefined) return undefined
  const trace = parseTraceParent(parent)
  return trace?.sampled === true ? trace.traceId : undefined
}
