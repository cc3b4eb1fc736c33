import type { Exchange } from '../../model/exchange/exchange.ts'
import type { LlmCost } from '../../model/llm/llm-attributes.ts'
import { redactText, type Redaction } from '../../model/trace/redact.ts'
import type { Span } from '../../model/tracing/span.ts'
import { exchangeError, writeExchange, writeLocation } from '../access-log/access-log.ts'
import { writeAdded } from '../access-log/custom-fields.ts'
import type { AccessLogRules } from '../access-log/access-log-policy.ts'
import { causeText } from '../log/error-message.ts'
import { AttributeFields } from './attribute-fields.ts'

/** Completes the server span of an exchange that has ended: name, attributes, status and end. */
export const completeServerSpan = (
  span: Span,
  x: Exchange,
  rules: AccessLogRules | undefined,
  redaction: Redaction,
): void => {
  const { request, reply, downstream } = x
  span.endedAt = downstream.endedAt
  span.name = serverSpanName(x)
  const fields = new AttributeFields(span.attributes, rules?.omit.size ? withoutError(rules.omit) : omitError)
  writeLocation(fields, x.labels)
  writeExchange(fields, x)
  writeOutcome(fields, span, x)
  fields.text('url.scheme', request.scheme)
  fields.text('network.protocol.version', request.httpVersion)
  fields.text('http.request.method', methodName(request.method))
  if (reply && downstream.committed) fields.number('http.response.status_code', reply.status)
  fields.text('http.route', pathTemplate(x))
  if (x.protocol.llm?.cost) writeCost(fields, x.protocol.llm.cost)
  if (!rules?.add.length) return
  writeAdded(new AttributeFields(span.attributes), x, rules.add, redaction)
  const name = span.attributes['span.name']
  if (name === undefined) return
  delete span.attributes['span.name']
  span.name = String(name)
}

/** The name: the MCP method, the gRPC method, or the HTTP method with the path of the route's matcher. */
const serverSpanName = (x: Exchange): string => {
  const method = x.protocol.mcp?.methodName
  if (method !== undefined) return method.slice(0, maxNameLength)
  const { request } = x
  if (request.headers.get('content-type')?.startsWith('application/grpc'))
    return request.received.path.slice(0, maxNameLength)
  const template = pathTemplate(x)
  return template === undefined ? 'unknown' : `${methodName(request.method)} ${template}`
}

/** The path as the matcher of the route has it, so that few names exist. */
const pathTemplate = ({ match }: Exchange): string | undefined => {
  if (!match) return undefined
  const { path } = match
  if ('exact' in path) return path.exact
  if ('regex' in path) return path.regex
  return path.pathPrefix.endsWith('/') ? `${path.pathPrefix}*` : `${path.pathPrefix}/*`
}

/** Clients can send any method; other ones than those of the standards count as one. */
const methodName = (method: string): string => (knownMethods.has(method) ? method : '_OTHER')

const knownMethods: ReadonlySet<string> = new Set(
  'GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH'.split(' '),
)

/** A message of the gateway, and a status of 500 and above, make the span an error. */
const writeOutcome = (fields: AttributeFields, span: Span, x: Exchange): void => {
  const { reply } = x
  const error = exchangeError(x)
  if (error === undefined && (reply?.status ?? 0) < 500) return
  span.error = error ?? ''
  const type = reply?.code ?? (reply ? String(reply.status) : 'cancelled')
  fields.text('error.type', type)
  if (error === undefined) return
  const cause = reply?.cause === undefined ? error : redactText(causeText(reply.cause))
  span.recordException(type, cause)
}

const writeCost = (fields: AttributeFields, cost: LlmCost): void => {
  for (const [part, name] of costNames) {
    const value = cost[part]
    if (value !== undefined && Number.isFinite(value)) fields.number(`agw.ai.usage.cost.${name}`, value)
  }
}

/** The total is an attribute of the access log. */
const costNames = [
  ['input', 'input'],
  ['output', 'output'],
  ['cacheRead', 'cache_read'],
  ['cacheWrite', 'cache_write'],
  ['reasoning', 'reasoning'],
  ['inputAudio', 'input_audio'],
  ['outputAudio', 'output_audio'],
] as const satisfies readonly (readonly [keyof LlmCost, string])[]

/** The error text is the status of the span. */
const omitError: ReadonlySet<string> = new Set(['error', 'trace.id', 'span.id'])
const withoutError = (omit: ReadonlySet<string>): ReadonlySet<string> => {
  let both = merged.get(omit)
  if (!both) merged.set(omit, (both = new Set([...omit, ...omitError])))
  return both
}
const merged = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>()

const maxNameLength = 256
