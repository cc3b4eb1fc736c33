import { BufferBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import type { Request } from '../../model/exchange/request.ts'
import { agentPathOf, withAgentCardUrl } from '../../protocols/a2a/agent-card.ts'
import { type AddressOptions, externalOrigin, prefixOf } from '../mcp-authentication/external-url.ts'
import { isBodiless, isLonger, setBuffered } from '../body/buffer-body.ts'
import { type Ahead, readAhead } from '../body/read-prefix.ts'
import { applied } from '../trace-policy.ts'

/** The address that replaces the agent's own in its card. */
export interface AgentCardRewriteOptions extends AddressOptions {
  /** Longer cards are refused. */
  readonly bufferLimitBytes: number
}

/** Whether a request is for an agent card. */
export const isAgentCardRequest = ({ method, received }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') && agentPathOf(received.path) !== undefined

/** Makes the upstream send the whole card uncompressed, even if the client has it cached. */
export const requestIdentityEncoding = ({ headers }: Request): void => {
  for (const name of conditions) headers.delete(name)
  headers.set('accept-encoding', 'identity')
}

/**
 * Replaces the agent's address in its card by the address that the client used.
 *
 * A card that cannot be read is refused with 502: a card that sends clients past the gateway is worse than none. Other
 * content, such as a 404 page, passes unchanged.
 */
export const rewriteAgentCard = (
  x: Exchange,
  reply: Reply,
  options: AgentCardRewriteOptions,
): Reply | undefined | Promise<Reply | undefined> => {
  const { headers, body } = reply
  if (reply.status > 299) return undefined
  if (isBodiless(x, reply)) {
    removeByteHeaders(headers)
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

const finish = (
  x: Exchange,
  reply: Reply,
  ahead: Ahead,
  options: AgentCardRewriteOptions,
): Reply | undefined => {
  if ('longer' in ahead) {
    reply.body = ahead.longer
    return refuse(x, reply, tooLong(options))
  }
  setBuffered(reply, ahead.whole)
  rewrite(x, reply, ahead.whole.bytes, options)
  return undefined
}

const rewrite = (x: Exchange, reply: Reply, bytes: Buffer, options: AgentCardRewriteOptions): void => {
  const home =
    externalOrigin(x, options) + prefixOf(x, options) + (agentPathOf(x.request.received.path) ?? '')
  const card = withAgentCardUrl(bytes.toString(), home)
  if (card === undefined) return
  reply.body = new BufferBody(card)
  removeByteHeaders(reply.headers)
  reply.headers.set('content-length', String(reply.body.lengthBytes))
  x.probe?.record(applied('a2a', `made the agent card say ${home}`))
}

/** Validators and digests of the original card do not hold for the rewritten one. */
const removeByteHeaders = (headers: Headers): void => {
  for (const name of aboutBytes) headers.delete(name)
}

const refuse = (x: Exchange, { body }: Reply, why: string): Reply => {
  body.drop()
  x.probe?.record(applied('a2a', `refused the agent card: ${why}`))
  return deny(502, 'a2a_card_unreadable', {
    message: `the agent card cannot be read: ${why}`,
    reason: 'UpstreamFailure',
  })
}

const tooLong = ({ bufferLimitBytes }: AgentCardRewriteOptions): string =>
  `it exceeds ${bufferLimitBytes} bytes`

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
