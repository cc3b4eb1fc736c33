import { emptyBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Reply } from '../../model/exchange/reply.ts'
import { encodeGrpcMessage, grpcStatus, isGrpc } from '../../protocols/grpc/status.ts'

/**
 * Formats a local reply for its client: a gRPC client gets HTTP 200 with status and message in fields and no body;
 * other clients get the format set by the stage that parsed the request, if any, else the reply unchanged. Other
 * fields, such as those of CORS, stay.
 */
export const formatLocalReply = (reply: Reply, x: Exchange): Reply => {
  const { request } = x
  const { localReplyFormat } = x.protocol
  if (reply.error === undefined) return reply
  if (!isGrpc(request.headers.get('content-type'))) return localReplyFormat?.format(reply, x) ?? reply
  const { headers } = reply
  headers.delete('content-length')
  headers.set('content-type', 'application/grpc')
  const status = reply.code === 'no_valid_backends' ? UNAVAILABLE : grpcStatus(reply.status)
  headers.set('grpc-status', String(status))
  headers.set('grpc-message', encodeGrpcMessage(reply.error))
  return new Reply(200, headers, emptyBody, reply.reason, reply.code, reply.error)
}

const UNAVAILABLE = 14
