import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Fault } from '../../model/exchange/fault.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import { hideSecrets, redactQuery, redactText } from '../../model/trace/redact.ts'
import { describeModelCall } from '../llm/usage/span-usage.ts'
import type { Span } from '../../model/tracing/span.ts'
import type { SpanScope } from '../../model/tracing/span-scope.ts'

/** Begins the span of one call of an upstream; undefined if the request has too many. */
export const startAttempt = (x: Exchange, scope: SpanScope): AttemptSpan | undefined => {
  const { llm, mcp } = x.protocol
  const isLlm = x.upstream.backend?.protocol === 'llm' && llm !== undefined
  const span = scope.start('Primary', isLlm ? 'Llm' : 'Http')
  if (!span) return undefined
  const { request } = x
  scope.lastAttempt = span
  scope.propagate(span, request.headers)
  const { attributes } = span
  attributes['http.method'] = request.method
  attributes['http.host'] = request.authority
  const query = redactQuery(request.query)
  attributes['http.path'] = request.path + hideSecrets(query, x.policy.secrets ?? [])
  if (x.upstream.backend) attributes['agentgateway.backend'] = x.upstream.backend.name
  if (x.upstream.attempts > 1) attributes['http.request.resend_count'] = x.upstream.attempts - 1
  if (isLlm) describeModelCall(span, llm)
  if (mcp?.target !== undefined) attributes['mcp.target'] = mcp.target
  return new AttemptSpan(x, scope, span)
}

/** The span of one call of an upstream, from its start to the end of the response. */
export class AttemptSpan {
  readonly span: Span
  readonly #x: Exchange
  readonly #scope: SpanScope
  #reply: Reply | undefined = undefined

  constructor(x: Exchange, scope: SpanScope, span: Span) {
    this.#x = x
    this.#scope = scope
    this.span = span
  }

  /** The head of the response has arrived. */
  responded(reply: Reply): void {
    this.#reply = reply
    const { attributes } = this.span
    attributes['http.status'] = reply.status
    this.#recordEndpoint()
    if (reply.status < 400) return
    this.span.error = ''
    attributes['error.type'] = String(reply.status)
  }

  /** The response is complete. */
  ended(): void {
    const status = this.#reply?.grpcStatus
    if (status !== undefined) this.span.attributes['grpc.status'] = status
    if (status) this.span.error ??= ''
    this.#scope.spans.end(this.span)
  }

  failed(fault: Fault): void {
    this.#recordEndpoint()
    this.span.fail(fault.code, redactText(fault.message))
    this.#scope.spans.end(this.span)
  }

  /** The response is no longer needed. Has no effect after the end. */
  cancelled(): void {
    if (this.span.endedAt > 0) return
    this.#recordEndpoint()
    this.span.attributes['error.type'] = 'cancelled'
    this.span.error = 'cancelled'
    this.#scope.spans.end(this.span)
  }

  #recordEndpoint(): void {
    const { endpoint } = this.#x.upstream
    if (endpoint !== undefined) this.span.attributes.endpoint = endpoint
  }
}
