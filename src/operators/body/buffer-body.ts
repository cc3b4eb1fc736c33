import { type Body, BufferBody } from '../../model/exchange/body.ts'
import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import type { Request } from '../../model/exchange/request.ts'
import type { Decide, Verdict } from '../../pipeline/stage.ts'
import type { BufferedBody } from './buffered-body.ts'
import { readAhead } from './read-prefix.ts'

/** Which bodies have to be buffered: whole, or their beginning. */
export interface BufferedBodies {
  readonly request: BufferNeed
  readonly reply: BufferNeed
}

/** The whole body, with an error beyond the limit; its beginning, up to the limit; or nothing. */
export type BufferNeed = boolean | 'prefix'

/** The bodies that a set of expressions reads. */
export const bodiesReadBy = (expressions: readonly (Evaluate | undefined)[]): BufferedBodies => ({
  request:
    expressions.some((one) => one?.reads?.requestBody) ||
    (expressions.some((one) => one?.reads?.requestBodyPrefix) && 'prefix'),
  reply:
    expressions.some((one) => one?.reads?.replyBody) ||
    (expressions.some((one) => one?.reads?.replyBodyPrefix) && 'prefix'),
})

/** A need that covers both. */
export const combinedBufferNeed = (one: BufferNeed, other: BufferNeed): BufferNeed =>
  one === true || other === true || one || other

/**
 * Decides once the required bodies are buffered. If none is required, the decision stays synchronous.
 *
 * A request body beyond the limit is refused with 413, a reply body with 502: an expression that cannot see the whole
 * body must not decide about it. A need for the beginning buffers only that, and the body is streamed on.
 */
export const withBufferedBodies = (held: BufferedBodies, limitBytes: number, decide: Decide): Decide => {
  if (!held.request && !held.reply) return decide
  return (x) => {
    const request = held.request ? takeRequest(x, limitBytes, held.request) : undefined
    const reply = held.reply && x.reply ? takeReply(x, x.reply, limitBytes, held.reply) : undefined
    if (!request && !reply) return decide(x)
    return Promise.all([request, reply]).then(([one, other]) => one ?? other ?? decide(x))
  }
}

/** Buffers the request body. Undefined if it is buffered already, else a refusal or undefined. */
export const bufferRequestBody = (x: Exchange, limitBytes: number): Promise<Verdict> | undefined => {
  const { body } = x.request
  // The limit first: a body that is buffered already may exceed it.
  if (isLonger(body, limitBytes)) return Promise.resolve(requestTooLarge(limitBytes))
  if (isBuffered(body)) return undefined
  return readAhead(body, limitBytes).then((ahead) => {
    if ('longer' in ahead) {
      ahead.longer.drop()
      return requestTooLarge(limitBytes)
    }
    setBuffered(x.request, ahead.whole)
    return undefined
  })
}

/** Buffers the body of a reply. Undefined if it is buffered already, else a refusal or undefined. */
const bufferReply = (x: Exchange, reply: Reply, limitBytes: number): Promise<Verdict> | undefined => {
  if (isBuffered(reply.body) || isBodiless(x, reply)) return undefined
  if (isLonger(reply.body, limitBytes)) {
    reply.body.drop()
    return Promise.resolve(replyTooLarge(limitBytes))
  }
  return readAhead(reply.body, limitBytes).then((ahead) => {
    if ('longer' in ahead) {
      ahead.longer.drop()
      return replyTooLarge(limitBytes)
    }
    setBuffered(reply, ahead.whole)
    return undefined
  })
}

const takeRequest = (x: Exchange, limitBytes: number, extent: true | 'prefix') =>
  extent === 'prefix' ? bufferPrefix(x.request, limitBytes) : bufferRequestBody(x, limitBytes)

const takeReply = (x: Exchange, reply: Reply, limitBytes: number, extent: true | 'prefix') => {
  if (extent !== 'prefix') return bufferReply(x, reply, limitBytes)
  return isBodiless(x, reply) ? undefined : bufferPrefix(reply, limitBytes)
}

/** Buffers the beginning of a body; the rest of a longer one is streamed on. */
const bufferPrefix = (message: Request | Reply, limitBytes: number): Promise<undefined> | undefined => {
  const { body } = message
  if (body instanceof BufferBody) {
    if (isLonger(body, limitBytes)) message.bodyPrefix = body.bytes.subarray(0, limitBytes)
    return undefined
  }
  // Its beginning has been read already, and the body may have been wrapped since.
  if (isBuffered(body) || message.bodyPrefix) return undefined
  return readAhead(body, limitBytes).then((ahead) => {
    if ('longer' in ahead) {
      message.bodyPrefix = ahead.longer.beginning()
      message.body = ahead.longer
    } else setBuffered(message, ahead.whole)
    return undefined
  })
}

/** Replaces the body of a message by the buffered one, with its length. */
export const setBuffered = (
  message: { readonly headers: Headers; body: Body },
  whole: BufferedBody,
): void => {
  message.body = whole
  if (!whole.trailers) message.headers.set('content-length', String(whole.lengthBytes))
}

/** Whether the body can be read repeatedly. */
export const isBuffered = (body: Body): boolean => body instanceof BufferBody || body.lengthBytes === 0

/** Whether the declared length of a body exceeds a limit. */
export const isLonger = (body: Body, limitBytes: number): boolean =>
  body.lengthBytes !== undefined && body.lengthBytes > limitBytes

/** Whether a reply has no body, whatever its head declares. */
export const isBodiless = (x: Exchange, reply: Reply): boolean =>
  x.request.method === 'HEAD' ||
  reply.status < 200 ||
  reply.status === 204 ||
  reply.status === 304 ||
  reply.tunnel !== undefined

/** The refusal of a request body beyond a limit. */
export const requestTooLarge = (limitBytes: number): Reply =>
  deny(413, 'body_too_large', {
    message: `body exceeds the limit of ${limitBytes} bytes`,
    reason: 'InvalidRequest',
  })

/** The refusal to pass on a reply body beyond a limit. */
export const replyTooLarge = (limitBytes: number): Reply =>
  deny(502, 'reply_too_large', {
    message: `upstream response exceeds the limit of ${limitBytes} bytes`,
    reason: 'UpstreamFailure',
  })
