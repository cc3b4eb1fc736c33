import { BufferBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { LocalReplyFormat } from '../../model/exchange/local-reply-format.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import { onRequest, type Operator, type Verdict } from '../../pipeline/stage.ts'
import { peekMessage } from '../../protocols/json-rpc/peek-message.ts'
import { setBuffered } from '../body/buffer-body.ts'
import { readAhead } from '../body/read-prefix.ts'
import { rpcCodeOf, rpcError } from '../json-rpc-error.ts'

/** Bytes of a message that are inspected. The id mostly comes first, large members after it. */
const LOOK_BYTES = 65_536

/**
 * Formats the gateway's own errors for MCP clients as JSON-RPC errors with the id of the request. The request is
 * unchanged; at most its first 64 KiB are awaited, and parsed only if an error occurs.
 *
 * Must be above everything that may refuse a request.
 */
export const readRequestId = (): Operator => onRequest('hear-message', setLocalReplyFormat)

const setLocalReplyFormat = (x: Exchange): Verdict | Promise<Verdict> => {
  const { request } = x
  const { body } = request
  if (request.method !== 'POST' || request.headers.has('content-encoding')) {
    x.protocol.localReplyFormat = new McpLocalReplyFormat(undefined)
    return undefined
  }
  if (body instanceof BufferBody) {
    x.protocol.localReplyFormat = new McpLocalReplyFormat(body.bytes.subarray(0, LOOK_BYTES))
    return undefined
  }
  return readAhead(body, LOOK_BYTES).then((ahead) => {
    if ('whole' in ahead) {
      setBuffered(request, ahead.whole)
      x.protocol.localReplyFormat = new McpLocalReplyFormat(ahead.whole.bytes)
    } else {
      request.body = ahead.longer
      x.protocol.localReplyFormat = new McpLocalReplyFormat(ahead.longer.beginning())
    }
    return undefined
  })
}

/**
 * Formats errors of stages that are not part of MCP as JSON-RPC, and records them. Replies of MCP or of its
 * authorization stay as they are.
 */
class McpLocalReplyFormat implements LocalReplyFormat {
  readonly #message: Buffer | undefined

  /** @param message The client's message, or its beginning; parsed only for an error. */
  constructor(message: Buffer | undefined) {
    this.#message = message
  }

  format(reply: Reply, x: Exchange): Reply {
    if (reply.reason === 'MCP' || reply.headers.get('content-type')?.startsWith('application/json'))
      return reply
    const { method, id } = peekMessage(this.#message?.toString() ?? '')
    const code = rpcCodeOf(reply.status)
    x.protocol.mcp = { methodName: method, ...x.protocol.mcp, error: { code, message: reply.error ?? '' } }
    return rpcError(reply, id, code)
  }
}
