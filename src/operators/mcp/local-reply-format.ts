import type { Exchange } from '../../model/exchange.ts'
import type { Reply } from '../../model/reply.ts'
import type { Tongue } from '../../model/tongue.ts'
import { peekMessage } from '../../protocols/json-rpc/peek-message.ts'
import { rpcCodeOf, rpcError } from '../rpc-error.ts'

/**
 * Tells an MCP client about errors of stages that know nothing of MCP, and takes down that it did. What is said in the
 * terms of MCP already, or of its authorization, stays as it is.
 */
export class McpTongue implements Tongue {
  readonly #message: Buffer | undefined

  /** @param message What the client said, or its beginning; it is only looked at if something goes wrong. */
  constructor(message: Buffer | undefined) {
    this.#message = message
  }

  say(reply: Reply, x: Exchange): Reply {
    if (reply.reason === 'MCP' || reply.headers.get('content-type')?.startsWith('application/json'))
      return reply
    const { method, id } = peekMessage(this.#message?.toString() ?? '')
    const code = rpcCodeOf(reply.status)
    x.mcp = { methodName: method, ...x.mcp, error: { code, message: reply.error ?? '' } }
    return rpcError(reply, id, code)
  }
}
