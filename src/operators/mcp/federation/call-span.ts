import { defer, finalize, type Observable, tap } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { redactText, redactUrl } from '../../../model/trace/redact.ts'
import type { Span } from '../../../model/tracing/span.ts'
import type { SpanScope } from '../../../model/tracing/span-scope.ts'
import type { JsonObject } from '../../../protocols/json-rpc/message.ts'
import { jsonObjectIn } from '../../../protocols/json/json-object.ts'
import { withMeta } from '../../../protocols/mcp/meta.ts'
import type { McpCall } from '../../../upstream/mcp/transport.ts'
import { type FromServer, isOutcome, type ServerClient } from '../servers/server-client.ts'
import type { Target } from '../servers/target.ts'

/** A call of a server with a span, which is the parent of its HTTP requests and of what the server does. */
export const callWithSpan = (
  x: Exchange,
  scope: SpanScope,
  target: Target,
  server: ServerClient,
  call: McpCall,
): Observable<FromServer> =>
  defer(() => {
    const span = scope.start('Primary', 'Mcp', spanNameOf(call))
    if (!span) return server.call(call, target.requestContext(x))
    describe(span, target, server, call)
    const params = withParent(call.params, scope, span)
    return server.call({ ...call, params }, target.requestContext(x, scope.within(span))).pipe(
      tap({
        next: (message) => {
          if (isOutcome(message)) recordOutcome(span, message)
        },
        error: (fault: unknown) => {
          const message = fault instanceof Error ? fault.message : String(fault)
          span.fail(fault instanceof Fault ? fault.code : 'error', redactText(message))
        },
      }),
      finalize(() => {
        scope.spans.end(span)
      }),
    )
  })

/** The method and, for tools and prompts, the name: of these there are few. */
const spanNameOf = ({ method, params }: McpCall): string =>
  namedBy(method) ? `${method} ${nameIn(params)}` : method

const namedBy = (method: string): 'gen_ai.tool.name' | 'gen_ai.prompt.name' | undefined => {
  if (method === 'tools/call') return 'gen_ai.tool.name'
  return method === 'prompts/get' ? 'gen_ai.prompt.name' : undefined
}

const nameIn = (params: JsonObject | undefined): string =>
  typeof params?.name === 'string' ? params.name.slice(0, MAX_NAME) : 'unknown'

const describe = (
  { attributes }: Span,
  { name: target, isProgram }: Target,
  { revision }: ServerClient,
  { method, params }: McpCall,
): void => {
  attributes['mcp.method.name'] = method
  attributes['mcp.target'] = target
  if (revision !== '') attributes['mcp.protocol.version'] = revision
  attributes['network.transport'] = isProgram ? 'pipe' : 'tcp'
  const item = namedBy(method)
  if (item) attributes[item] = nameIn(params)
  if (method === 'tools/call') attributes['gen_ai.operation.name'] = 'execute_tool'
  if (typeof params?.uri === 'string')
    attributes['mcp.resource.uri'] = redactUrl(params.uri.slice(0, MAX_NAME))
}

const recordOutcome = (
  span: Span,
  message: Extract<FromServer, { result: unknown } | { error: unknown }>,
): void => {
  if ('error' in message) {
    span.attributes['rpc.response.status_code'] = String(message.error.code)
    span.fail(String(message.error.code), redactText(message.error.message).slice(0, MAX_NAME))
  } else if (jsonObjectIn(message.result)?.isError === true) {
    span.attributes['error.type'] = 'tool_error'
    span.error = ''
  }
}

/** Replaces the trace context of the request in `_meta`; one that the client set itself for another trace is kept. */
const withParent = (
  params: JsonObject | undefined,
  { spans }: SpanScope,
  span: Span,
): JsonObject | undefined => {
  const traceparent = jsonObjectIn(params?._meta)?.traceparent
  return typeof traceparent === 'string' && traceparent.includes(spans.traceId)
    ? withMeta(params, { traceparent: spans.traceParent(span) })
    : params
}

const MAX_NAME = 256
