import { emptyBody } from '../model/body.ts'
import { Reply } from '../model/reply.ts'
import type { Request } from '../model/request.ts'
import { encodeGrpcMessage, grpcStatus, isGrpc } from '../protocols/grpc/status.ts'

/**
 * An error of the gateway's own as its client understands it: a gRPC client gets HTTP 200 with the status and the
 * message in fields and no body, everybody else the reply as it is. Other fields, such as those of CORS, stay.
 */
export const inTongue = (reply: Reply, request: Request): Reply => {
  if (reply.error === undefined || !isGrpc(request.headers.get('content-type'))) return reply
  const { headers } = reply
  headers.delete('content-length')
  headers.set('content-type', 'application/grpc')
  const status = reply.code === 'no_valid_backends' ? UNAVAILABLE : grpcStatus(reply.status)
  headers.set('grpc-status', String(status))
  headers.set('grpc-message', encodeGrpcMessage(reply.error))
  return new Reply(200, headers, emptyBody, reply.reason, reply.code, reply.error)
}

const UNAVAILABLE = 14
