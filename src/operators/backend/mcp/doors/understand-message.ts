import { BufferBody } from '../../../../model/body.ts'
import type { Exchange } from '../../../../model/exchange.ts'
import type { McpFacts, McpObjectFacts } from '../../../../model/mcp-facts.ts'
import { deny } from '../../../../model/reply.ts'
import { onRequest, type Operator, type Verdict } from '../../../../pipeline/stage.ts'
import { isRequest, type Message, type Request } from '../../../../protocols/json-rpc/message.ts'
import { parseMessages } from '../../../../protocols/json-rpc/parse.ts'
import { jsonObjectOr } from '../../../../protocols/json/json-object.ts'
import { listOf, type Subject, subjectOf } from '../../../../protocols/mcp/methods.ts'
import { holdRequest } from '../../../body/hold.ts'
import { HeldBody } from '../../../body/held-body.ts'
import { applied } from '../../../policy-note.ts'
import { unreadable } from './door.ts'
import { HeardBody } from './heard-body.ts'
import { type Whose, whoseOfAny } from '../federation/whose.ts'

/** Where a message may go, and how long it may be. */
export interface UnderstandOptions {
  /** Of each backend that may get the request: all of them speak MCP. */
  readonly whose: readonly Whose[]
  /** A longer message is refused with 413. */
  readonly limitBytes: number
}

/**
 * Finds out what an MCP client asks for, so that the policies after it can go by that: `mcp` in their expressions, with
 * the arguments of a call. The backend gets the message as it was understood here, unless a stage in between puts another
 * body in its place.
 *
 * Belongs after the checks of identity, for nobody else's messages are worth reading and keeping; and before all that
 * goes by them. A second one parses nothing; it says more where it knows better which backend it will be.
 *
 * What is no message is refused with 400, as the backend would do. So is a batch of several: there is one verdict for
 * each request over HTTP, and a call must not get past a limit or a rule behind another's back.
 */
export const understandMessage = ({ whose, limitBytes }: UnderstandOptions): Operator => {
  const whoseIs = whoseOfAny(whose)
  return onRequest('understand-message', (x) => {
    const { request } = x
    if (request.method !== 'POST') return undefined
    const held = holdRequest(x, limitBytes)
    return held ? held.then((refusal) => refusal ?? read(x, whoseIs)) : read(x, whoseIs)
  })
}

const read = (x: Exchange, whose: Whose): Verdict | Promise<Verdict> => {
  const { body } = x.request
  const bytes = body instanceof BufferBody ? body.bytes : Buffer.alloc(0)
  const parsed = body instanceof HeardBody ? body.parsed : parseMessages(bytes)
  if ('error' in parsed) return unreadable(parsed.error)
  const { messages } = parsed
  if (!(body instanceof HeardBody))
    x.request.body = new HeardBody(bytes, body instanceof HeldBody ? body.trailers : undefined, parsed)
  if (messages.length > 1) return noBatches()
  const [message] = messages
  return message && understand(x, message, whose)
}

const understand = (x: Exchange, message: Message, whose: Whose): undefined | Promise<undefined> => {
  if (!('method' in message)) return undefined
  const { method } = message
  x.probe?.note(applied('mcp', `understood ${method} before the policies`))
  const facts: McpFacts = { ...x.mcp, methodName: method, kind: listOf(method)?.kind }
  x.mcp = facts
  const subject = isRequest(message) ? subjectOf(method, message.params) : undefined
  if (!isRequest(message) || !subject || subject === 'missing') return undefined
  const owned = whose(x, message, subject)
  if (owned instanceof Promise)
    return owned.then((thing) => {
      x.mcp = factsAbout(facts, message, subject, thing)
      return undefined
    })
  x.mcp = factsAbout(facts, message, subject, owned)
  return undefined
}

/** Of a name that nobody has there is nothing to be known but of which kind it would be. */
const factsAbout = (
  facts: McpFacts,
  { method, params }: Request,
  { kind }: Subject,
  thing: McpObjectFacts = {},
): McpFacts => {
  const known = { ...facts, kind, target: thing.target }
  if (method !== 'tools/call') return { ...known, [kind]: thing }
  const { arguments: given } = params ?? {}
  return { ...known, tool: { ...thing, arguments: jsonObjectOr(given) } }
}

const noBatches = () =>
  deny(400, 'mcp_batch', {
    message: 'mcp: one message at a time, please: policies of this route decide about each',
    reason: 'InvalidRequest',
  })
