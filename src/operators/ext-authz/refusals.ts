import { BufferBody, emptyBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { deny, Reply } from '../../model/exchange/reply.ts'
import { isGrpc } from '../../protocols/grpc/status.ts'
import type { Denied } from './check-result.ts'

/** The reply to a request that the service refused: with the service's own text if it has one. */
export const deniedReply = (x: Exchange, { status, headers, body }: Denied): Reply => {
  if (!body) return localRefusal(status, 'ext_authz_denied')
  // Cached replies are sent more than once, and stages may change each.
  const fields = headers.clone()
  if (body.length && !fields.has('content-type')) fields.append('content-type', 'text/plain')
  const reply = new Reply(status, fields, body.length ? new BufferBody(body) : emptyBody, 'ExtAuth')
  reply.code = 'ext_authz_denied'
  // gRPC clients do not read bodies: the text goes into `grpc-message`.
  if (isGrpc(x.request.headers.get('content-type')))
    reply.error = body.toString('utf8', 0, MESSAGE_BYTES) || MESSAGE
  return reply
}

/** A refusal with the gateway's own text. */
export const localRefusal = (status: number, code: string): Reply =>
  deny(status, code, {
    message: MESSAGE,
    reason: 'ExtAuth',
    ...(status === 401 ? { headers: { 'www-authenticate': 'Bearer' } } : {}),
  })

const MESSAGE = 'external authorization failed'
/** Maximum length of a service's text in a header field, in bytes. */
const MESSAGE_BYTES = 1024
