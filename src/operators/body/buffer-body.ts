import { type Body, BufferBody } from '../../model/exchange/body.ts'
import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import type { Request } from '../../model/exchange/request.ts'
import type { Decide, Verdict } from '../../pipeline/stage.ts'
import type { BufferedBody } from './buffered-body.ts'
import { readAhead } from './read-prefix.ts'

/** Which bodies have to be in memory: all of one, or its beginning. */
export interface BufferedBodies {
  readonly request: BufferNeed
  readonly reply: BufferNeed
}

/** All of a body, which is an error beyond the limit; its beginning, up to the limit; or nothing. */
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

/** What serves both. */
export const combinedBufferNeed = (one: BufferNeed, other: BufferNeed): BufferNeed =>
  one === true || other === true || one || other

/**
 * Decides once the bodies that are needed are in memory. Where none is, the decision stays as synchronous as it was.
 *
 * A request body beyond the limit is refused with 413, a reply body with 502: an expression that cannot see all of a
 * body must not decide about it. One that asks for the beginning only gets that, and the body goes on as it came.
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

/** Reads the request body into memory; undefined if it is there already, else the refusal, if any. */
export const bufferRequestBody = (x: Exchange, limitBytes: number): Promise<Verdict> | undefined => {
  const { body } = x.request
  // First the limit: a body that came in memory already may be too long all the same.
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

/** Reads the body of a reply into memory; undefined if it is there already, else the refusal, if any. */
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

/** Reads the beginning of a body into memory; what is longer goes on from there, as it came. */
const bufferPrefix = (message: Request | Reply, limitBytes: number): Promise<undefined> | undefined => {
  const { body } = message
  if (body instanceof BufferBody) {
    if (isLonger(body, limitBytes)) message.bodyPrefix = body.bytes.subarray(0, limitBytes)
    return undefined
  }
  // It has been looked at already, and perhaps been wrapped since.
  if (isBuffered(body) || message.bodyPrefix) return undefined
  return readAhead(body, limitBytes).then((ahead) => {
    if ('longer' in ahead) {
      message.bodyPrefix = ahead.longer.beginning()
      message.body = ahead.longer
    } else setBuffered(message, ahead.whole)
    return undefined
  })
}

/** Gives a message its own body again, now that it is in memory and has a length. */
export const setBuffered = (
  message: { readonly headers: Headers; body: Body },
  whole: BufferedBody,
): void => {
  message.body = whole
  if (!whole.trailers) message.headers.set('content-length', String(whole.lengthBytes))
}

/** Whether the body may be read again and again. */
export const isBuffered = (body: Body): boolean => body instanceof BufferBody || body.lengthBytes === 0

/** Whether a body says of itself that it is longer. */
export const isLonger = (body: Body, limitBytes: number): boolean =>
  body.lengthBytes !== undefined && body.lengthBytes > limitBytes

/** Whether a reply has no body of its own, whatever its head says of one. */
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
