import { BufferBody } from '../../../model/exchange/body.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { McpAttributes, McpObjectAttributes } from '../../../model/mcp/mcp-attributes.ts'
import { deny } from '../../../model/exchange/reply.ts'
import { onRequest, type Operator, type Verdict } from '../../../pipeline/stage.ts'
import { isRequest, type Message, type JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import { parseMcpMessages } from '../../../protocols/mcp/parse-messages.ts'
import { jsonObjectOr } from '../../../protocols/json/json-object.ts'
import { listMethodOf, type Subject, subjectOf } from '../../../protocols/mcp/methods.ts'
import { bufferRequestBody } from '../../body/buffer-body.ts'
import { BufferedBody } from '../../body/buffered-body.ts'
import { applied } from '../../trace-policy.ts'
import { unreadable } from './check-request.ts'
import { ParsedBody } from './parsed-body.ts'
import { type ResolveTarget, resolveAny } from '../federation/resolve-target.ts'

/** Options of {@link parseMcpMessage}. */
export interface ParseMessageOptions {
  /** Resolvers of each backend that may get the request: all of them speak MCP. */
  readonly targetResolvers: readonly ResolveTarget[]
  /** A longer message is refused with 413. */
  readonly limitBytes: number
}

/**
 * Parses the message of an MCP client for later policies: sets `mcp` of expressions, with the arguments of a call. The
 * backend uses the parsed message, unless a stage in between replaces the body.
 *
 * Must be below authentication, so that only known callers' bodies are buffered, and above all policies that use `mcp`.
 * A second one parses nothing; it refines the attributes where it knows the backend better.
 *
 * Malformed messages are refused with 400, as the backend would do. So is a batch: there is one verdict for each HTTP
 * request, and a call must not pass a limit or a rule behind another one.
 */
export const parseMcpMessage = ({ targetResolvers, limitBytes }: ParseMessageOptions): Operator => {
  const resolveTarget = resolveAny(targetResolvers)
  return onRequest('understand-message', (x) => {
    const { request } = x
    if (request.method !== 'POST') return undefined
    const buffering = bufferRequestBody(x, limitBytes)
    return buffering ? buffering.then((refusal) => refusal ?? read(x, resolveTarget)) : read(x, resolveTarget)
  })
}

const read = (x: Exchange, resolveTarget: ResolveTarget): Verdict | Promise<Verdict> => {
  const { body } = x.request
  const bytes = body instanceof BufferBody ? body.bytes : Buffer.alloc(0)
  const parsed = body instanceof ParsedBody ? body.parsed : parseMcpMessages(bytes)
  if ('error' in parsed) return unreadable(parsed)
  const { messages } = parsed
  if (!(body instanceof ParsedBody))
    x.request.body = new ParsedBody(bytes, body instanceof BufferedBody ? body.trailers : undefined, parsed)
  if (messages.length > 1) return noBatches()
  const [message] = messages
  return message && setAttributes(x, message, resolveTarget)
}

const setAttributes = (
  x: Exchange,
  message: Message,
  resolveTarget: ResolveTarget,
): undefined | Promise<undefined> => {
  if (!('method' in message)) return undefined
  const { method } = message
  x.probe?.record(applied('mcp', `understood ${method} before the policies`))
  const attributes: McpAttributes = {
    ...x.protocol.mcp,
    methodName: method,
    kind: listMethodOf(method)?.kind,
  }
  x.protocol.mcp = attributes
  const subject = isRequest(message) ? subjectOf(method, message.params) : undefined
  if (!isRequest(message) || !subject || subject === 'missing') return undefined
  const resolved = resolveTarget(x, message, subject)
  if (resolved instanceof Promise)
    return resolved.then((object) => {
      x.protocol.mcp = attributesAbout(attributes, message, subject, object)
      return undefined
    })
  x.protocol.mcp = attributesAbout(attributes, message, subject, resolved)
  return undefined
}

/** Of an unknown name only the kind is set. */
const attributesAbout = (
  attributes: McpAttributes,
  { method, params }: JsonRpcRequest,
  { kind }: Subject,
  object: McpObjectAttributes = {},
): McpAttributes => {
  const known = { ...attributes, kind, target: object.target }
  if (method !== 'tools/call') return { ...known, [kind]: object }
  const { arguments: given } = params ?? {}
  return { ...known, tool: { ...object, arguments: jsonObjectOr(given) } }
}

const noBatches = () =>
  deny(400, 'mcp_batch', {
    message: 'mcp: one message at a time, please: policies of this route decide about each',
    reason: 'InvalidRequest',
  })
