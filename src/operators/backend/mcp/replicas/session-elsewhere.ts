import type { Observable } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { refuseText } from '../doors/door.ts'
import { answered } from '../doors/legacy-door.ts'
import type { SessionIds } from '../sessions/mcp-session-ids.ts'
import { principalOf } from '../sessions/principal.ts'
import type { McpSessions } from '../sessions/sessions.ts'
import type { PassOn } from './pass-on.ts'

/** Where to look for what another replica may have. */
export interface Elsewhere {
  readonly sessions: McpSessions
  readonly ids: SessionIds
  readonly passOn: PassOn
}

/**
 * Answers with what another replica says to a request for a session that it alone can go on with. Undefined if there is
 * no such replica, or it cannot be asked.
 */
export const sessionElsewhere = (
  x: Exchange,
  { sessions, ids, passOn }: Elsewhere,
): Observable<Exchange> | undefined => {
  const id = x.request.headers.get('mcp-session-id')
  if (id === undefined || sessions.find(id) || sessions.hasEnded(id)) return undefined
  const state = ids.read(id)
  const owner = state && ids.ownerElsewhere(state)
  // Nobody is led anywhere by the id of somebody else.
  if (!owner || (state.principal ?? '') !== principalOf(x)) return undefined
  x.mcp = { ...x.mcp, sessionId: id }
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
}
