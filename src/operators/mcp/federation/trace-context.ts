import type { Headers } from '../../../model/exchange/headers.ts'
import type { JsonObject } from '../../../protocols/json-rpc/message.ts'
import { withTraceContext } from '../../../protocols/mcp/meta.ts'

/** The params, with the trace context of the HTTP request in `_meta`, where servers without HTTP read it. */
export const traced = (params: JsonObject | undefined, headers: Headers): JsonObject | undefined => {
  const traceparent = headers.get('traceparent')
  if (traceparent === undefined) return params
  return withTraceContext(params, {
    traceparent,
    tracestate: headers.get('tracestate'),
    baggage: headers.get('baggage'),
  })
}
