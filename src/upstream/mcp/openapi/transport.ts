import { isSameVariable } from '../../../model/resources/same-variable.ts'
import type { Headers } from '../../../model/exchange/headers.ts'
import type { Id, JsonObject, Notification, Outcome } from '../../../protocols/json-rpc/message.ts'
import { newestLegacy } from '../../../protocols/mcp/revisions.ts'
import { type OpenApiRequest, buildRequest } from '../../../protocols/openapi/build-request.ts'
import { headerFieldsOf } from '../http/headers.ts'
import { OpenApiCall } from './call.ts'
import { type OpenApiSource, OpenApiTools } from './tools.ts'
import { DeferredToolCall } from './deferred-call.ts'
import type { RequestContext, McpCall, CallSink, ListenSink, OnSent, Transport } from '../transport.ts'

/** An HTTP interface and its document. */
export interface OpenApiConnection {
  /** Prefix of every path, without a trailing slash. Empty: the document's prefix. */
  readonly prefix: string
  readonly tools: OpenApiSource
  /** Limit of a response; 16 MiB by default. */
  readonly limitBytes?: number | undefined
}

const LIMIT_BYTES = 16 * 1024 * 1024
const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']

/**
 * An HTTP interface as an MCP server: its tools are the operations, and a call is one request. It is stateless, so that
 * there is no session. HTTP errors become results with `isError`.
 */
export class OpenApiTransport implements Transport {
  readonly sessionId = undefined
  readonly #target: string
  readonly #prefix: string
  readonly #source: OpenApiSource
  readonly #limitBytes: number
  readonly #underWay = new Set<OpenApiCall | DeferredToolCall>()

  constructor(target: string, connection: OpenApiConnection) {
    this.#target = target
    this.#prefix = connection.prefix
    this.#source = connection.tools
    this.#limitBytes = connection.limitBytes ?? LIMIT_BYTES
  }

  call(call: McpCall, context: RequestContext, sink: CallSink): () => void {
    const tools = this.#source.current()
    if (tools instanceof OpenApiTools) return this.#call(tools, call, context, sink)
    const wait = new DeferredToolCall(this.#target, sink, (over) => this.#underWay.delete(over))
    this.#underWay.add(wait)
    wait.start(tools, (found) => this.#call(found, call, context, sink))
    return () => wait.cancel()
  }

  notify(_notification: Omit<Notification, 'jsonrpc'>, _context: RequestContext, onSent: OnSent): void {
    queueMicrotask(() => onSent(undefined))
  }

  respond(_id: Id, _outcome: Outcome, _context: RequestContext, onSent: OnSent): void {
    queueMicrotask(() => onSent(undefined))
  }

  listen(_context: RequestContext, _sink: ListenSink): () => void {
    return () => undefined
  }

  agreed(): void {
    // An HTTP interface has no MCP revision.
  }

  close(): void {
    for (const call of this.#underWay) call.close()
  }

  #call(tools: OpenApiTools, call: McpCall, context: RequestContext, sink: CallSink): () => void {
    if (call.method === 'tools/call') return this.#callTool(tools, call.params ?? {}, context, sink)
    return soon(sink, this.#outcome(tools, call))
  }

  #outcome(tools: OpenApiTools, { method, params }: McpCall): Outcome {
    switch (method) {
      case 'initialize':
        return { result: this.#initialized(tools, params?.protocolVersion) }
      case 'ping':
        return { result: {} }
      case 'tools/list': {
        const page = tools.page(params?.cursor)
        return page ? { result: page } : invalid('unknown cursor')
      }
      default:
        return { error: { code: -32601, message: `method not found: ${method}` } }
    }
  }

  #initialized(tools: OpenApiTools, requested: unknown): JsonObject {
    const { title, version } = tools.info
    return {
      protocolVersion: revisions.includes(requested as string) ? requested : newestLegacy,
      capabilities: { tools: {} },
      serverInfo: { name: this.#target, ...(title !== undefined && { title }), version },
    }
  }

  #callTool(
    tools: OpenApiTools,
    { name, arguments: args }: JsonObject,
    context: RequestContext,
    sink: CallSink,
  ): () => void {
    const tool = typeof name === 'string' ? tools.find(name) : undefined
    if (!tool)
      return soon(sink, { error: { code: -32602, message: `Unknown tool: ${String(name).slice(0, 128)}` } })
    const request = buildRequest(tool, args ?? {})
    if ('invalid' in request) return soon(sink, invalid(request.invalid))
    const conflict = conflictOf(request, context.headers)
    if (conflict !== undefined) return soon(sink, invalid(conflict))
    const call = new OpenApiCall(this.#target, tool, this.#limitBytes, sink, (over) =>
      this.#underWay.delete(over),
    )
    this.#underWay.add(call)
    const { method, target, headers, body } = request
    const passed = passedOn(context.headers, headers)
    call.start(
      {
        method,
        target: (this.#prefix || tools.prefix) + target,
        headers: headerFieldsOf([...headers.raw, ...identity], passed),
        body,
      },
      context.send,
    )
    return () => call.cancel()
  }
}

/** Responses must be readable. */
const identity = ['accept-encoding', 'identity']

const invalid = (why: string): Outcome => ({
  error: { code: -32602, message: `invalid request parameters: ${why}` },
})

/** Callers rely on the call to return before its response. */
const soon = (sink: CallSink, outcome: Outcome): (() => void) => {
  let isPending = true
  queueMicrotask(() => {
    if (isPending) sink.reply(outcome)
  })
  return () => {
    isPending = false
  }
}

/** Headers that HTTP clients send by default: arguments take precedence. */
const casual = new Set(['accept-language', 'cache-control', 'pragma', 'user-agent'])

/**
 * Headers of the client's request have passed the policies, or were set by them, identities included: an argument must
 * not contradict them, and would be lost if it did so silently.
 */
const conflictOf = ({ headers }: OpenApiRequest, passed: Headers): string | undefined => {
  for (const [name, value] of headers.entries()) {
    if (name === 'accept' || name === 'content-type' || casual.has(name)) continue
    if (hasOtherSpelling(passed, name)) return `header.${name} is set by the request itself`
    const given = passed.get(name)
    if (given === undefined) continue
    if (name === 'cookie') {
      const names = cookieNames(given)
      const twice = [...cookieNames(value)].find((cookie) => names.has(cookie))
      if (twice !== undefined) return `cookie.${twice} is set by the request itself`
    } else if (given !== value) return `header.${name} is set by the request itself`
  }
  return undefined
}

/** Servers may treat both names as one, and use either. */
const hasOtherSpelling = (passed: Headers, name: string): boolean => {
  for (const [other] of passed.entries()) if (isSameVariable(other, name)) return true
  return false
}

const cookieNames = (cookies: string): ReadonlySet<string> =>
  new Set(cookies.split(';').map((cookie) => (cookie.split('=', 1)[0] ?? '').trim()))

/** The client's fields without those that arguments have set. Cookies add up. */
const passedOn = (passed: Headers, set: Headers): Headers => {
  const left = passed.clone()
  for (const [name] of set.entries()) if (name !== 'cookie') left.delete(name)
  return left
}
