import { BufferBody } from '../model/exchange/body.ts'
import { Reply } from '../model/exchange/reply.ts'
import { INTERNAL_ERROR, INVALID_REQUEST } from '../protocols/json-rpc/error-codes.ts'

/**
 * A local reply as a JSON-RPC error. Status and fields stay: retries and logins depend on them, not on JSON-RPC codes.
 *
 * @param id The id of the request, as JSON text; `null` if it has none.
 */
export const rpcError = (reply: Reply, id: string, code = rpcCodeOf(reply.status)): Reply => {
  const { status, headers, reason, error = '' } = reply
  headers.delete('content-length')
  headers.set('content-type', 'application/json')
  const message = JSON.stringify(error)
  const body = new BufferBody(`{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${message}}}`)
  return new Reply(status, headers, body, reason, reply.code, error)
}

/** The JSON-RPC code for an HTTP status: whether the request or the server is to blame. */
export const rpcCodeOf = (status: number): number => (status < 500 ? INVALID_REQUEST : INTERNAL_ERROR)
