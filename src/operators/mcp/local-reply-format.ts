import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { LocalReplyFormat } from '../../model/exchange/local-reply-format.ts'
import { peekMessage } from '../../protocols/json-rpc/peek-message.ts'
import { rpcCodeOf, rpcError } from '../json-rpc-error.ts'

/**
 * Formats errors of stages that are not part of MCP as JSON-RPC, and records them. Replies of MCP or of its
 * authorization stay as they are.
 */
export class McpLocalReplyFormat implements LocalReplyFormat {
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
