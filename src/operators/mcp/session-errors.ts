import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { LocalReplyFormat } from '../../model/exchange/local-reply-format.ts'
import type { Id } from '../../protocols/json-rpc/message.ts'
import { rpcCodeOf, rpcError } from '../json-rpc-error.ts'

/**
 * Formats errors of requests in sessions: HTTP status 200 with a JSON-RPC error. Client libraries take any other status
 * for a broken transport, and some end the session. Statuses that clients act on stay: for credentials, and for a
 * session that is gone.
 *
 * The status changes last, so that retries and rules about replies see the original.
 */
export class SessionErrors implements LocalReplyFormat {
  readonly #id: Id

  constructor(id: Id) {
    this.#id = id
  }

  format(reply: Reply, x: Exchange): Reply {
    const { status } = reply
    const formatted = isFormatted(reply) ? reply : this.#inRpc(reply, x)
    if (!kept.has(status) && reply.code !== 'mcp_session_unknown') formatted.status = 200
    return formatted
  }

  #inRpc(reply: Reply, x: Exchange): Reply {
    const code = rpcCodeOf(reply.status)
    x.protocol.mcp = { ...x.protocol.mcp, error: { code, message: reply.error ?? '' } }
    return rpcError(reply, JSON.stringify(this.#id), code)
  }
}

/** Whether the reply is JSON-RPC already, or of MCP's authorization. */
const isFormatted = ({ reason, headers }: Reply): boolean =>
  reason === 'MCP' || headers.get('content-type')?.startsWith('application/json') === true

/** Statuses about the HTTP request or its credentials. */
const kept: ReadonlySet<number> = new Set([401, 403, 405, 406, 413, 415])
