import type { Headers } from '../../model/headers.ts'
import type { Id, JsonObject, Notification, Outcome } from '../../protocols/json-rpc/message.ts'
import { newestLegacy } from '../../protocols/mcp/revisions.ts'
import { type OpenApiRequest, requestOf } from '../../protocols/openapi/request-of.ts'
import { fieldsOf } from './http-fields.ts'
import { OpenApiCall } from './openapi-call.ts'
import { type OpenApiSource, OpenApiTools } from './openapi-tools.ts'
import { OpenApiWait } from './openapi-wait.ts'
import type { Behalf, Call, CallSink, ListenSink, Taken, Wire } from './wire.ts'

/** An HTTP interface, and what a document says of it. */
export interface OpenApiConnection {
  /** Before every path, without a slash at its end. Empty: what the document says. */
  readonly prefix: string
  readonly tools: OpenApiSource
  /** Of an answer; 16 MiB if nothing is said. */
  readonly limitBytes?: number | undefined
}

const LIMIT_BYTES = 16 * 1024 * 1024
const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']

/**
 * An MCP server that is none: its tools are the operations of an HTTP interface, and a call is one request. It remembers
 * nothing, so that there is no session with it. What the interface answers with an HTTP error is a result with `isError`.
 */
export class OpenApiWire implements Wire {
  readonly sessionId = undefined
  readonly #target: string
  readonly #prefix: string
  readonly #source: OpenApiSource
  readonly #limitBytes: number
  readonly #underWay = new Set<OpenApiCall | OpenApiWait>()

  constructor(target: string, connection: OpenApiConnection) {
    this.#target = target
    this.#prefix = connection.prefix
    this.#source = connection.tools
    this.#limitBytes = connection.limitBytes ?? LIMIT_BYTES
  }

  call(call: Call, behalf: Behalf, sink: CallSink): () => void {
    const tools = this.#source.current()
    if (tools instanceof OpenApiTools) return this.#call(tools, call, behalf, sink)
    const wait = new OpenApiWait(this.#target, sink, (over) => this.#underWay.delete(over))
    this.#underWay.add(wait)
    wait.start(tools, (found) => this.#call(found, call, behalf, sink))
    return () => wait.cancel()
  }

  notify(_notification: Omit<Notification, 'jsonrpc'>, _behalf: Behalf, taken: Taken): void {
    queueMicrotask(() => taken(undefined))
  }

  answer(_id: Id, _outcome: Outcome, _behalf: Behalf, taken: Taken): void {
    queueMicrotask(() => taken(undefined))
  }

  listen(_behalf: Behalf, _sink: ListenSink): () => void {
    return () => undefined
  }

  agreed(): void {
    // An HTTP interface knows of no revisions.
  }

  close(): void {
    for (const call of this.#underWay) call.close()
  }

  #call(tools: OpenApiTools, call: Call, behalf: Behalf, sink: CallSink): () => void {
    if (call.method === 'tools/call') return this.#callTool(tools, call.params ?? {}, behalf, sink)
    return soon(sink, this.#outcome(tools, call))
  }

  #outcome(tools: OpenApiTools, { method, params }: Call): Outcome {
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

  #initialized(tools: OpenApiTools, asked: unknown): JsonObject {
    const { title, version } = tools.info
    return {
      protocolVersion: revisions.includes(asked as string) ? asked : newestLegacy,
      capabilities: { tools: {} },
      serverInfo: { name: this.#target, ...(title !== undefined && { title }), version },
    }
  }

  #callTool(
    tools: OpenApiTools,
    { name, arguments: args }: JsonObject,
    behalf: Behalf,
    sink: CallSink,
  ): () => void {
    const tool = typeof name === 'string' ? tools.find(name) : undefined
    if (!tool)
      return soon(sink, { error: { code: -32602, message: `Unknown tool: ${String(name).slice(0, 128)}` } })
    const request = requestOf(tool, args ?? {})
    if ('invalid' in request) return soon(sink, invalid(request.invalid))
    const conflict = conflictOf(request, behalf.headers)
    if (conflict !== undefined) return soon(sink, invalid(conflict))
    const call = new OpenApiCall(this.#target, tool, this.#limitBytes, sink, (over) =>
      this.#underWay.delete(over),
    )
    this.#underWay.add(call)
    const { method, target, headers, body } = request
    const passed = passedOn(behalf.headers, headers)
    call.start(
      {
        method,
        target: (this.#prefix || tools.prefix) + target,
        headers: fieldsOf([...headers.raw, ...identity], passed),
        body,
      },
      behalf.send,
    )
    return () => call.cancel()
  }
}

/** Answers have to be read. */
const identity = ['accept-encoding', 'identity']

const invalid = (why: string): Outcome => ({
  error: { code: -32602, message: `invalid request parameters: ${why}` },
})

/** Nobody expects an answer before the call has returned. */
const soon = (sink: CallSink, outcome: Outcome): (() => void) => {
  let isWanted = true
  queueMicrotask(() => {
    if (isWanted) sink.reply(outcome)
  })
  return () => {
    isWanted = false
  }
}

/** Fields that programs send without anybody having asked them to: arguments go before these. */
const casual = new Set(['accept-language', 'cache-control', 'pragma', 'user-agent'])

/**
 * What the client's request says in a field already, its policies have seen or have put there, identities among it: an
 * argument must not say something else, and would be lost if it did so silently.
 */
const conflictOf = ({ headers }: OpenApiRequest, passed: Headers): string | undefined => {
  for (const [name, value] of headers.entries()) {
    if (name === 'accept' || name === 'content-type' || casual.has(name)) continue
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

const cookieNames = (cookies: string): ReadonlySet<string> =>
  new Set(cookies.split(';').map((cookie) => (cookie.split('=', 1)[0] ?? '').trim()))

/** The client's fields without those that arguments have set. Cookies add up. */
const passedOn = (passed: Headers, set: Headers): Headers => {
  const left = passed.clone()
  for (const [name] of set.entries()) if (name !== 'cookie') left.delete(name)
  return left
}
