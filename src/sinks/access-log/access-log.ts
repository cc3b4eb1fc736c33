import type { A2aAttributes } from '../../model/exchange/a2a-attributes.ts'
import { connectionNumber } from '../../model/exchange/connection-number.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { httpVersions } from '../../model/exchange/request.ts'
import { hideSecrets, redactQuery, redactText, Redaction } from '../../model/trace/redact.ts'
import type { RouteLabels } from '../../model/resources/snapshot.ts'
import type { SpanScope } from '../../model/tracing/span-scope.ts'
import { parseTraceParent } from '../../protocols/trace-context.ts'
import { writeAdded } from './custom-fields.ts'
import { JsonLine, type LogLine, type LogLineFields, TextLogLine } from './line.ts'
import { llmLogFields, writeLlm } from './llm-fields.ts'
import { mcpLogFields, writeMcp } from './mcp-fields.ts'
import type { AccessLogRules } from './access-log-policy.ts'
import type { LogDestination } from '../log/destination.ts'
import { causeText } from '../log/error-message.ts'
import { hostPortText } from '../../protocols/ip/host-port.ts'

/** Format and destination of the access log. */
export interface AccessLogOptions {
  readonly format: 'text' | 'json'
  readonly destination: LogDestination
  /**
   * Returns the rules of an exchange, which the callback compiles once and caches; undefined means the default line.
   */
  readonly rules?: (x: Exchange) => AccessLogRules | undefined
  readonly redaction?: Redaction
  /** Whether to write `connection.id` and `request.id`. */
  readonly withIds?: boolean
}

/** Names of the fields, in order. */
export const accessLogFields = [
  'connection.id',
  'request.id',
  'gateway',
  'listener',
  'route_rule',
  'route',
  'endpoint',
  'src.addr',
  'src.identity',
  'http.method',
  'http.host',
  'http.path',
  'http.version',
  'http.status',
  'grpc.status',
  'tls.sni',
  'trace.id',
  'span.id',
  'jwt.sub',
  'protocol',
  'a2a.method',
  'a2a.response.outcome',
  'a2a.response.error_code',
  'a2a.result.kind',
  'a2a.task.state',
  'a2a.context.id',
  ...mcpLogFields,
  ...llmLogFields,
  'retry.attempt',
  'error',
  'cause',
  'reason',
  'code',
  'duration',
  'durationMs',
] as const

/**
 * Writes one line for an exchange that ended. The line is built as a string and passed as it is to pino's buffered
 * destination: an object through pino's serialisation costs 5.9 µs a line, this 2.
 *
 * It contains no credentials: query parameters and texts are redacted, and headers appear only where a policy adds
 * them.
 */
export const accessLog = (options: AccessLogOptions): ((x: Exchange) => void) => {
  const { destination, rules, redaction = new Redaction(), withIds = false } = options
  const isJson = options.format === 'json'
  const newLine = (omit?: ReadonlySet<string>): LogLine =>
    isJson ? new JsonLine(omit) : new TextLogLine(omit)
  const byRoute = new WeakMap<RouteLabels, string>()

  /** Fields of the labels: the same text for every exchange of a route. */
  const addressOf = (labels: RouteLabels): string => {
    let fields = byRoute.get(labels)
    if (fields === undefined) {
      const line = newLine()
      writeLocation(line, labels)
      byRoute.set(labels, (fields = line.fields))
    }
    return fields
  }

  return (x) => {
    const rule = rules?.(x)
    if (rule?.filter && !rule.filter(x)) return
    if (rule?.sample && !rule.sample(x)) return
    const omit = rule && rule.omit.size > 0 ? rule.omit : undefined
    const line = newLine(omit)
    if (withIds || rule?.withIds) {
      line.text('connection.id', String(connectionNumber(x.request.connection)))
      line.text('request.id', String(x.request.id))
    }
    if (omit) writeLocation(line, x.labels)
    else line.ready(addressOf(x.labels))
    writeExchange(line, x)
    if (rule && rule.add.length > 0) {
      const added = newLine()
      writeAdded(added, x, rule.add, redaction)
      line.ready(added.fields)
    }
    const to = rule?.destination ?? destination
    to.write(line.whole())
  }
}

/** Writes the fields of the route. */
export const writeLocation = (
  line: LogLineFields,
  { gateway, listener, routeRule, route }: RouteLabels,
): void => {
  line.text('gateway', gateway)
  line.text('listener', listener)
  line.text('route_rule', routeRule)
  line.text('route', route)
}

/** Writes the fields of an exchange that ended. */
export const writeExchange = (line: LogLineFields, x: Exchange): void => {
  const { request, reply, upstream, downstream, protocol, policy } = x
  const { secrets } = policy
  const { received, connection } = request
  line.text('endpoint', upstream.endpoint)
  line.text('src.addr', hostPortText(connection.sourceAddress, connection.sourcePort))
  line.text('src.identity', connection.tls?.client?.spiffeId)
  line.text('http.method', request.method)
  line.text('http.host', received.authority || undefined)
  const query = redactQuery(request.query)
  line.text('http.path', received.path + (secrets ? hideSecrets(query, secrets) : query))
  line.text('http.version', httpVersions[request.httpVersion])
  if (reply && downstream.committed) line.number('http.status', reply.status)
  const grpcStatus = reply?.grpcStatus
  if (grpcStatus !== undefined) line.number('grpc.status', grpcStatus)
  if (!received.authority) line.text('tls.sni', connection.tls?.serverName)
  if (x.span) writeSpanIds(line, x.span)
  else if (x.frontend.tracing) writeParentIds(line, request.headers.get('traceparent'))
  const subject = x.identity.jwt && (x.identity.jwt as { readonly sub?: unknown }).sub
  if (typeof subject === 'string') line.text('jwt.sub', subject)
  line.text('protocol', upstream.backend?.protocol)
  if (protocol.a2a) writeA2a(line, protocol.a2a)
  if (protocol.mcp) writeMcp(line, protocol.mcp, secrets)
  if (protocol.llm) writeLlm(line, protocol.llm, secrets)
  if (upstream.attempts > 1) line.number('retry.attempt', upstream.attempts - 1)
  line.text('error', exchangeError(x))
  if (reply?.cause !== undefined) {
    const cause = redactText(causeText(reply.cause))
    line.text('cause', secrets ? hideSecrets(cause, secrets) : cause)
  }
  line.text('reason', reply?.reason)
  line.text('code', reply?.code)
  writeDuration(line, downstream.endedAt - request.startedAt)
}

/** Why an exchange failed, without credentials; undefined if it did not. */
export const exchangeError = ({ reply, downstream }: Exchange): string | undefined => {
  const error = downstream.truncatedBy ?? reply?.error
  return error === undefined ? undefined : redactText(error)
}

/** The duration as agentgateway writes it, and as a number for computations. */
export const writeDuration = (line: LogLineFields, tookMs: number): void => {
  const ms = Math.max(0, tookMs)
  line.text('duration', `${Math.floor(ms)}ms`)
  line.number('durationMs', Math.round(ms * 1000) / 1000)
}

const writeSpanIds = (line: LogLineFields, { spans }: SpanScope): void => {
  line.text('trace.id', spans.traceId)
  line.text('span.id', spans.server.spanId)
}

/** A request that is not sampled still belongs to the trace of its caller. */
const writeParentIds = (line: LogLineFields, traceParent: string | undefined): void => {
  const parent = traceParent === undefined ? undefined : parseTraceParent(traceParent)
  if (!parent) return
  line.text('trace.id', parent.traceId)
  line.text('span.id', parent.spanId)
}

const writeA2a = (line: LogLineFields, attributes: A2aAttributes): void => {
  line.text('a2a.method', attributes.method)
  line.text('a2a.response.outcome', attributes.outcome)
  if (attributes.errorCode !== undefined) line.number('a2a.response.error_code', attributes.errorCode)
  line.text('a2a.result.kind', attributes.kind)
  line.text('a2a.task.state', attributes.taskState)
  line.text('a2a.context.id', attributes.contextId)
}
