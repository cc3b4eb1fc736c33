import { type Observable, throwError } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { isRequest, type Message } from '../../../../protocols/json-rpc/message.ts'
import { invalidParams } from '../../../../protocols/mcp/errors.ts'
import { requestStateOf } from '../../../../protocols/mcp/input-required.ts'
import { ownerOfRequestState } from '../../../../protocols/mcp/request-state.ts'
import { answerWith } from '../answer/answer.ts'
import { answerIsGone } from '../answer/answer-resumably.ts'
import { McpRefusal } from '../answer/mcp-refusal.ts'
import type { WaitingRoom } from '../bridge/legacy-as-modern.ts'
import { refuseText } from '../doors/door.ts'
import { answered } from '../doors/legacy-door.ts'
import type { SseChannels } from '../doors/sse-door.ts'
import type { SessionIds } from '../sessions/mcp-session-ids.ts'
import { principalOf } from '../sessions/principal.ts'
import type { McpSessions } from '../sessions/sessions.ts'
import type { PassOn } from './pass-on.ts'

/** Where to look for what another replica may have. */
export interface ElsewhereOptions {
  readonly stateful: boolean
  readonly sessions: McpSessions
  readonly channels: SseChannels
  readonly ids: SessionIds
  readonly room: Pick<WaitingRoom, 'ring' | 'self'>
  readonly passOn: PassOn
}

/**
 * Requests for what another replica has. Each of these answers with what that one says; undefined if there is no such
 * replica, or it cannot be asked. Nobody is led anywhere by what is somebody else's.
 */
export class Elsewhere {
  readonly #options: ElsewhereOptions

  constructor(options: ElsewhereOptions) {
    this.#options = options
  }

  /** For a session that it alone can go on with, or the rest of an answer that it keeps. */
  session(x: Exchange): Observable<Exchange> | undefined {
    const { stateful, sessions, ids, passOn } = this.#options
    const { headers, method } = x.request
    const id = headers.get('mcp-session-id')
    if (!stateful || id === undefined || sessions.hasEnded(id)) return undefined
    const known = sessions.find(id)
    const state = known ? undefined : ids.read(id)
    if (((known ?? state)?.principal ?? '') !== principalOf(x)) return undefined
    const owner = state && ids.ownerElsewhere(state)
    // Logs of all replicas tell which session it was.
    x.mcp = { ...x.mcp, sessionId: id }
    if (owner)
      return passOn(x, owner, (why) =>
        answered(
          x,
          refuseText(
            404,
            'mcp_session_elsewhere',
            `session belongs to replica ${owner.replica}, which cannot be asked: ${why}`,
          ),
        ),
      )
    const event = method === 'GET' ? headers.get('last-event-id') : undefined
    const keeper = event === undefined ? undefined : ids.keeperElsewhere(event, id)
    return keeper && passOn(x, keeper, () => answerIsGone(x, event ?? ''))
  }

  /** For a stream of the older transport, by which it answers. */
  stream(x: Exchange): Observable<Exchange> | undefined {
    const { channels, ids, passOn } = this.#options
    const id = x.request.method === 'POST' ? new URLSearchParams(x.request.query).get('sessionId') : null
    if (id === null || channels.byId.has(id)) return undefined
    const owner = ids.streamElsewhere(id, principalOf(x))
    return (
      owner &&
      passOn(x, owner, (why) =>
        answered(
          x,
          refuseText(404, 'mcp_session_unknown', `session not found, its replica cannot be asked: ${why}`),
        ),
      )
    )
  }

  /** For a call that waits there for what the client was asked. */
  call(x: Exchange, messages: readonly Message[]): Observable<Exchange> | undefined {
    const { room, passOn } = this.#options
    const [message] = messages
    if (!message || messages.length > 1 || !isRequest(message)) return undefined
    const { id, params } = message
    const owner = ownerOfRequestState(requestStateOf(params) ?? '', room.ring, {
      principal: principalOf(x),
      now: Date.now(),
    })
    if (!owner || owner.replica === room.self.replica) return undefined
    return passOn(x, owner, (why) => {
      const problem = `requestState belongs to replica ${owner.replica}, which cannot be asked: ${why}`
      return answerWith(
        x,
        id,
        throwError(() => new McpRefusal('mcp_request_state', invalidParams(problem))),
      )
    })
  }
}
