import { BufferBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import { isGrpc } from '../../protocols/grpc/status.ts'
import type { Limited } from './response.ts'

/** The reply if the service made no decision. */
export const callFailed = (code: string): Reply =>
  deny(500, code, { message: 'rate limit failed', reason: 'RateLimit' })

/** The reply to a request over the limit: with the service's own text if it has one. */
export const overLimitReply = (x: Exchange, { body, quota }: Limited): Reply => {
  const headers: Record<string, string> =
    quota && quota.resetSeconds > 0 ? { 'retry-after': String(quota.resetSeconds) } : {}
  const reply = deny(429, 'rate_limited', { message: MESSAGE, headers })
  if (body.length === 0) return reply
  reply.body = new BufferBody(body)
  // gRPC clients get the text as a field, others as a body.
  reply.error = isGrpc(x.request.headers.get('content-type'))
    ? body.toString('utf8', 0, MESSAGE_BYTES)
    : undefined
  return reply
}

const MESSAGE = 'rate limit exceeded'
/** Maximum length of a service's text in a header field, in bytes. */
const MESSAGE_BYTES = 1024
