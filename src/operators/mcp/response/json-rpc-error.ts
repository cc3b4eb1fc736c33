import { BufferBody } from '../../../../model/body.ts'
import { Fault } from '../../../../model/fault.ts'
import { Headers } from '../../../../model/headers.ts'
import { Reply } from '../../../../model/reply.ts'
import { encodeResponse } from '../../../../protocols/json-rpc/encode.ts'
import { INTERNAL_ERROR } from '../../../../protocols/json-rpc/error-codes.ts'
import type { ErrorObject, Id, Outcome } from '../../../../protocols/json-rpc/message.ts'
import { parseMessages } from '../../../../protocols/json-rpc/parse.ts'
import { ServerRefused } from '../../../../upstream/mcp/server-refused.ts'
import { McpRefusal } from './mcp-refusal.ts'

/** What JSON-RPC says of a fault. */
export const errorOf = (fault: Fault): ErrorObject => {
  if (fault instanceof McpRefusal) return fault.error
  if (fault instanceof ServerRefused)
    return jsonRpcErrorIn(fault) ?? { code: INTERNAL_ERROR, message: fault.message }
  return { code: INTERNAL_ERROR, message: fault.message }
}

/** The JSON-RPC error in the body of an HTTP error, if that is what the server sent. */
export const jsonRpcErrorIn = ({ body }: ServerRefused): ErrorObject | undefined => {
  if (body.length === 0 || body[0] !== OPENING_BRACE) return undefined
  const parsed = parseMessages(body)
  if (!('messages' in parsed)) return undefined
  const [only] = parsed.messages
  return only && 'error' in only ? only.error : undefined
}

/** An error that a server gave, as a whole answer with a status of its own. */
export const errorReply = (status: number, id: Id | null, outcome: Outcome): Reply =>
  json(status, encodeResponse(id, outcome), 'mcp_refused', undefined)

/**
 * The whole answer to a request that failed before anything was said about it. What a server refused keeps its status, its
 * challenge and its body, apart from the id of the request, which was the gateway's.
 */
export const refusalReply = (fault: Fault, id: Id | null): Reply => {
  if (!(fault instanceof ServerRefused))
    return json(fault.status, encodeResponse(id, { error: errorOf(fault) }), fault.code, fault)
  const kept = challenge(fault)
  if (!jsonRpcErrorIn(fault) && fault.body.length > 0) {
    const type = fault.headers.get('content-type')
    if (type !== undefined) kept.set('content-type', type)
    return new Reply(fault.status, kept, new BufferBody(fault.body), 'MCP', fault.code)
  }
  const reply = json(fault.status, encodeResponse(id, { error: errorOf(fault) }), fault.code, fault)
  for (const [name, value] of kept.entries()) reply.headers.append(name, value)
  return reply
}

/** What tells a client how to authenticate, and when to come back. */
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
