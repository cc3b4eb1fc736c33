import { BufferBody } from '../../../model/exchange/body.ts'
import { Fault, type Reason } from '../../../model/exchange/fault.ts'
import { Headers } from '../../../model/exchange/headers.ts'
import { Reply } from '../../../model/exchange/reply.ts'
import { encodeResponse } from '../../../protocols/json-rpc/encode.ts'
import { INTERNAL_ERROR } from '../../../protocols/json-rpc/error-codes.ts'
import type { ErrorObject, Id, JsonObject, Outcome } from '../../../protocols/json-rpc/message.ts'
import type { McpError } from '../../../protocols/mcp/errors.ts'
import { parseMcpMessages } from '../../../protocols/mcp/parse-messages.ts'
import { ServerRefused } from '../../../upstream/mcp/http-status-error.ts'

/** The gateway's refusal of an MCP request. */
export class McpRefusal extends Fault {
  readonly error: ErrorObject

  constructor(code: string, { status, error }: McpError, reason: Reason = 'MCP') {
    super(code, error.message, { status, reason })
    this.error = error
  }
}

/** A server sent a JSON-RPC error for a request of the gateway. */
export class ServerErred extends Fault {
  readonly error: ErrorObject

  constructor(target: string, error: ErrorObject) {
    super('mcp_server_erred', `mcp: target ${target}: ${error.message}`, { status: 502, reason: 'MCP' })
    this.error = { ...error, message: this.message }
  }
}

/** The JSON-RPC error of a fault. */
export const errorOf = (fault: Fault): ErrorObject => {
  if (fault instanceof McpRefusal) return fault.error
  if (fault instanceof ServerRefused)
    return jsonRpcErrorIn(fault) ?? { code: INTERNAL_ERROR, message: fault.message, data: refusalData(fault) }
  return { code: INTERNAL_ERROR, message: fault.message }
}

/** The content of a server's HTTP error, for clients that do not get that status. */
const refusalData = ({ status, headers, body }: ServerRefused): JsonObject => {
  const retryAfter = headers.get('retry-after')
  const text = readable.test(headers.get('content-type') ?? '')
    ? body.subarray(0, QUOTED_BYTES).toString().toWellFormed()
    : ''
  return { status, ...(retryAfter !== undefined && { retryAfter }), ...(text !== '' && { body: text }) }
}

const readable = /^(?:text\/|application\/(?:[\w.-]+\+)?json)/i

/** Bytes quoted of an error page: its beginning has the reason. */
const QUOTED_BYTES = 1_024

/** The JSON-RPC error in the body of an HTTP error, if there is one. */
export const jsonRpcErrorIn = ({ body }: ServerRefused): ErrorObject | undefined => {
  if (body.length === 0 || body[0] !== OPENING_BRACE) return undefined
  const parsed = parseMcpMessages(body)
  if (!('messages' in parsed)) return undefined
  const [only] = parsed.messages
  return only && 'error' in only ? only.error : undefined
}

/** A server's error as a complete reply with its own status. */
export const errorReply = (status: number, id: Id | null, outcome: Outcome): Reply =>
  json(status, encodeResponse(id, outcome), 'mcp_refused', undefined)

/**
 * The reply to a request that failed before any message. A server's refusal keeps its status, its challenge and its
 * body, except for the id, which was the gateway's.
 *
 * @param inSession Clients in sessions get only refusals of credentials as HTTP errors; the others as JSON-RPC errors.
 */
export const refusalReply = (fault: Fault, id: Id | null, inSession = false): Reply => {
  if (!(fault instanceof ServerRefused))
    return json(fault.status, encodeResponse(id, { error: errorOf(fault) }), fault.code, fault)
  const kept = challenge(fault)
  const isRaw = !inSession || aboutCredentials.has(fault.status)
  if (isRaw && !jsonRpcErrorIn(fault) && fault.body.length > 0) {
    const type = fault.headers.get('content-type')
    if (type !== undefined) kept.set('content-type', type)
    return new Reply(fault.status, kept, new BufferBody(fault.body), 'MCP', fault.code)
  }
  const reply = json(fault.status, encodeResponse(id, { error: errorOf(fault) }), fault.code, fault)
  for (const [name, value] of kept.entries()) reply.headers.append(name, value)
  return reply
}

const aboutCredentials: ReadonlySet<number> = new Set([401, 403])

/** Headers that tell a client how to authenticate, and when to retry. */
const challenge = ({ headers }: ServerRefused): Headers => {
  const kept = new Headers()
  for (const name of ['www-authenticate', 'retry-after'])
    for (const value of headers.all(name)) kept.append(name, value)
  return kept
}

const json = (status: number, text: string, code: string, fault: Fault | undefined): Reply => {
  const headers = new Headers(['content-type', 'application/json'])
  const reply = new Reply(status, headers, new BufferBody(text), fault?.reason ?? 'MCP', code, fault?.message)
  reply.cause = fault?.cause
  return reply
}

const OPENING_BRACE = 0x7b
