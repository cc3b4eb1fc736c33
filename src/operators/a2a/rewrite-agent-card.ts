import { BufferBody } from '../../model/body.ts'
import type { Exchange } from '../../model/exchange.ts'
import type { Headers } from '../../model/headers.ts'
import { deny, type Reply } from '../../model/reply.ts'
import type { Request } from '../../model/request.ts'
import { agentPathOf, rehomeCard } from '../../protocols/a2a/agent-card.ts'
import { type AddressOptions, originOf, prefixOf } from '../auth/mcp/address.ts'
import { isBodiless, isLonger, putHeld } from '../body/hold.ts'
import { type Ahead, readAhead } from '../body/read-ahead.ts'
import { applied } from '../policy-note.ts'

/** What an agent's card is to say instead. */
export interface RehomeOptions extends AddressOptions {
  /** Longer cards are refused. */
  readonly bufferLimitBytes: number
}

/** Whether a request is for an agent's card. */
export const asksForCard = ({ method, received }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') && agentPathOf(received.path) !== undefined

/** Asks for a card that can be read: all of it, even if the client knows an earlier one, and not compressed. */
export const askForPlainCard = ({ headers }: Request): void => {
  for (const name of conditions) headers.delete(name)
  headers.set('accept-encoding', 'identity')
}

/**
 * Makes a card say that the agent lives where the client asked for it.
 *
 * What cannot be read is refused with 502: a card that sends clients past the gateway is worse than none. What is no
 * card, such as a page that says that there is none, passes as it is.
 */
export const rehome = (
  x: Exchange,
  reply: Reply,
  options: RehomeOptions,
): Reply | undefined | Promise<Reply | undefined> => {
  const { headers, body } = reply
  if (reply.status > 299) return undefined
  if (isBodiless(x, reply)) {
    forgetOldBytes(headers)
    headers.delete('content-length')
    return undefined
  }
  const encoding = headers.get('content-encoding')
  if (encoding !== undefined && encoding !== 'identity')
    return refuse(x, reply, 'it is compressed, although the agent was asked not to')
  if (isLonger(body, options.bufferLimitBytes)) return refuse(x, reply, tooLong(options))
  if (body instanceof BufferBody) {
    rewrite(x, reply, body.bytes, options)
    return undefined
  }
  return readAhead(body, options.bufferLimitBytes).then((ahead) => finish(x, reply, ahead, options))
}

const finish = (x: Exchange, reply: Reply, ahead: Ahead, options: RehomeOptions): Reply | undefined => {
  if ('longer' in ahead) {
    reply.body = ahead.longer
    return refuse(x, reply, tooLong(options))
  }
  putHeld(reply, ahead.whole)
  rewrite(x, reply, ahead.whole.bytes, options)
  return undefined
}

const rewrite = (x: Exchange, reply: Reply, bytes: Buffer, options: RehomeOptions): void => {
  const home = originOf(x, options) + prefixOf(x, options) + (agentPathOf(x.request.received.path) ?? '')
  const card = rehomeCard(bytes.toString(), home)
  if (card === undefined) return
  reply.body = new BufferBody(card)
  forgetOldBytes(reply.headers)
  reply.headers.set('content-length', String(reply.body.lengthBytes))
  x.probe?.note(applied('a2a', `made the agent card say ${home}`))
}

/** What was said of the bytes of the agent's own card does not hold for ours. */
const forgetOldBytes = (headers: Headers): void => {
  for (const name of aboutBytes) headers.delete(name)
}

const refuse = (x: Exchange, { body }: Reply, why: string): Reply => {
  body.drop()
  x.probe?.note(applied('a2a', `refused the agent card: ${why}`))
  return deny(502, 'a2a_card_unreadable', {
    message: `the agent card cannot be read: ${why}`,
    reason: 'UpstreamFailure',
  })
}

const tooLong = ({ bufferLimitBytes }: RehomeOptions): string => `it exceeds ${bufferLimitBytes} bytes`

const conditions = [
  'if-none-match',
  'if-modified-since',
  'if-match',
  'if-unmodified-since',
  'if-range',
  'range',
]
const aboutBytes = [
  'etag',
  'last-modified',
  'accept-ranges',
  'content-md5',
  'digest',
  'content-digest',
  'repr-digest',
]
