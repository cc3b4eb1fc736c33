import { BufferBody } from '../model/body.ts'
import { Reply } from '../model/reply.ts'
import { INTERNAL_ERROR, INVALID_REQUEST } from '../protocols/json-rpc/error-codes.ts'

/**
 * An error of the gateway's own as an answer to a JSON-RPC request. Status and fields stay: retries and logins go by
 * them, not by codes.
 *
 * @param id The id of the request, as it is written in JSON; `null` if it has none.
 */
export const rpcError = (reply: Reply, id: string, code = rpcCodeOf(reply.status)): Reply => {
  const { status, headers, reason, error = '' } = reply
  headers.delete('content-length')
  headers.set('content-type', 'application/json')
  const message = JSON.stringify(error)
  const body = new BufferBody(`{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${message}}}`)
  return new Reply(status, headers, body, reason, reply.code, error)
}

/** The code of JSON-RPC that says most of an HTTP status: whether the request is to blame for it. */
export const rpcCodeOf = (status: number): number => (status < 500 ? INVALID_REQUEST : INTERNAL_ERROR)
