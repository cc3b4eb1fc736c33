import { type Observable, throwError } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { isRequest, type Message } from '../../../protocols/json-rpc/message.ts'
import { invalidParams } from '../../../protocols/mcp/errors.ts'
import { requestStateOf } from '../../../protocols/mcp/input-required.ts'
import { ownerOfRequestState } from '../../../protocols/mcp/request-state.ts'
import { respondWith } from '../response/respond.ts'
import { responseIsGone } from '../response/respond-resumable.ts'
import { McpRefusal } from '../response/json-rpc-error.ts'
import type { BridgeContext } from '../bridge/bridge-context.ts'
import { withReply, refuseText } from '../endpoint/check-request.ts'
import type { SseChannels } from '../endpoint/http-sse-endpoint.ts'
import type { SessionIds } from '../sessions/session-ids.ts'
import { principalOf } from '../sessions/principal.ts'
import type { SessionStore } from '../sessions/session-store.ts'
import type { ForwardToReplica } from './forward.ts'

/** Options of {@link ReplicaRouter}. */
export interface ReplicaRouterOptions {
  readonly stateful: boolean
  readonly sessions: SessionStore
  readonly channels: SseChannels
  readonly ids: SessionIds
  readonly bridge: Pick<BridgeContext, 'ring' | 'self'>
  readonly forwardToReplica: ForwardToReplica
}

/**
 * Forwards requests for state that another replica has. Each method returns undefined if there is no such replica or it
 * cannot be reached. State of other callers never causes forwarding.
 */
export class ReplicaRouter {
  readonly #options: ReplicaRouterOptions

  constructor(options: ReplicaRouterOptions) {
    this.#options = options
  }

  /** For a session that only the other replica can continue, or the rest of a response that it keeps. */
  session(x: Exchange): Observable<Exchange> | undefined {
    const { stateful, sessions, ids, forwardToReplica } = this.#options
    const { headers, method } = x.request
    const id = headers.get('mcp-session-id')
    if (!stateful || id === undefined || sessions.hasEnded(id)) return undefined
    const known = sessions.find(id)
    const state = known ? undefined : ids.read(id)
    if (((known ?? state)?.principal ?? '') !== principalOf(x)) return undefined
    const owner = state && ids.otherOwner(state)
    // All replicas log the session.
    x.protocol.mcp = { ...x.protocol.mcp, sessionId: id }
    if (owner)
      return forwardToReplica(x, owner, (why) =>
        withReply(
          x,
          refuseText(
            404,
            'mcp_session_elsewhere',
            `session belongs to replica ${owner.replica}, which cannot be asked: ${why}`,
          ),
        ),
      )
    const event = method === 'GET' ? headers.get('last-event-id') : undefined
    const keeper = event === undefined ? undefined : ids.responseOwner(event, id)
    return keeper && forwardToReplica(x, keeper, () => responseIsGone(x, event ?? ''))
  }

  /** For a stream of the HTTP+SSE transport, which carries the responses. */
  stream(x: Exchange): Observable<Exchange> | undefined {
    const { channels, ids, forwardToReplica } = this.#options
    const id = x.request.method === 'POST' ? new URLSearchParams(x.request.query).get('sessionId') : null
    if (id === null || channels.byId.has(id)) return undefined
    const owner = ids.streamOwner(id, principalOf(x))
    return (
      owner &&
      forwardToReplica(x, owner, (why) =>
        withReply(
          x,
          refuseText(404, 'mcp_session_unknown', `session not found, its replica cannot be asked: ${why}`),
        ),
      )
    )
  }

  /** For a call that is suspended on the other replica. */
  call(x: Exchange, messages: readonly Message[]): Observable<Exchange> | undefined {
    const { bridge, forwardToReplica } = this.#options
    const [message] = messages
    if (!message || messages.length > 1 || !isRequest(message)) return undefined
    const { id, params } = message
    const owner = ownerOfRequestState(requestStateOf(params) ?? '', bridge.ring, {
      principal: principalOf(x),
      now: Date.now(),
    })
    if (!owner || owner.replica === bridge.self.replica) return undefined
    return forwardToReplica(x, owner, (why) => {
      const problem = `requestState belongs to replica ${owner.replica}, which cannot be asked: ${why}`
      return respondWith(
        x,
        id,
        throwError(() => new McpRefusal('mcp_request_state', invalidParams(problem))),
      )
    })
  }
}
