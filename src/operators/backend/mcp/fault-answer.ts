import { BufferBody } from '../../../model/body.ts'
import { Fault } from '../../../model/fault.ts'
import { Headers } from '../../../model/headers.ts'
import { Reply } from '../../../model/reply.ts'
import { encodeResponse } from '../../../protocols/json-rpc/encode.ts'
import { INTERNAL_ERROR } from '../../../protocols/json-rpc/error-codes.ts'
import type { ErrorObject, Id, Outcome } from '../../../protocols/json-rpc/message.ts'
import { parseMessages } from '../../../protocols/json-rpc/parse.ts'
import { ServerRefused } from '../../../upstream/mcp/server-refused.ts'
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

/**
 * The whole answer to a request that failed before anything was said about it. What a server refused keeps its status, its
 * challenge and its body, apart from the id of the request, which was the gateway's.
 */
export function refusalReply(fault: Fault, id: Id | null): Reply
export function refusalReply(status: number, id: Id | null, outcome: Outcome): Reply
export function refusalReply(given: Fault | number, id: Id | null, outcome?: Outcome): Reply {
  if (typeof given === 'number')
    return json(given, encodeResponse(id, outcome as Outcome), 'mcp_refused', undefined)
  if (given instanceof ServerRefused && !jsonRpcErrorIn(given) && given.body.length > 0) {
    const headers = challenge(given)
    const type = given.headers.get('content-type')
    if (type !== undefined) headers.set('content-type', type)
    return new Reply(given.status, headers, new BufferBody(given.body), 'MCP', given.code)
  }
  const reply = json(given.status, encodeResponse(id, { error: errorOf(given) }), given.code, given)
  if (given instanceof ServerRefused)
    for (const [name, value] of challenge(given).entries()) reply.headers.append(name, value)
  return reply
}

/** What tells a client how to authenticate, and when to come back. */
const challenge = ({ headers }: ServerRefused): Headers => {
  const kept = new Headers()
  for (const name of ['www-authenticate', 'retry-after'])
    for (const value of headers.all(name)) kept.append(name, value)
  return kept
}

const json = (status: number, text: string, code: string, fault: Fault | undefined): Reply =>
  new Reply(
    status,
    new Headers(['content-type', 'application/json']),
    new BufferBody(text),
    fault?.reason ?? 'MCP',
    code,
    fault?.message,
  )

const OPENING_BRACE = 0x7b
