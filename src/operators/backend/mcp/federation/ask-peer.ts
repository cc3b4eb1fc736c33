import { catchError, mergeMap, type Observable, throwError } from 'rxjs'
import { Fault } from '../../../../model/fault.ts'
import { ServerRefused } from '../../../../upstream/mcp/server-refused.ts'
import type { Call } from '../../../../upstream/mcp/wire.ts'
import { nameTarget, takeDownHealth } from './health.ts'
import type { FromServer, Peer } from '../servers/peer.ts'
import type { Question } from './question.ts'
import { isResumed } from '../sessions/session.ts'
import type { Target } from '../servers/target.ts'
import { watchedCall } from './watched-call.ts'

/**
 * Asks a server on behalf of a client. A server that has forgotten the session did nothing yet, so it is asked again in a
 * new one, once; a server that died gets a new process with the next request.
 */
export const askPeer = (
  { access, x }: Pick<Question, 'access' | 'x'>,
  target: Target,
  call: Call,
): Observable<FromServer> => {
  const ask = (peer: Peer): Observable<FromServer> => watchedCall(x, target, peer, call)
  return access.peer(target, x).pipe(
    mergeMap((peer) =>
      ask(peer).pipe(
        catchError((fault: unknown) => {
          const forgotten = isForgotten(fault, peer)
          if (forgotten || isDead(fault)) access.forget(peer)
          // A session that began elsewhere may have been ended there: its client hears that it is over.
          const again = forgotten && !isResumed(peer)
          return again ? access.peer(target, x).pipe(mergeMap(ask)) : throwError(() => fault)
        }),
      ),
    ),
    takeDownHealth(target),
    nameTarget(target),
  )
}

/** Whether a server says that it knows nothing of the session. */
export const isForgotten = (fault: unknown, peer: Peer): boolean =>
  fault instanceof ServerRefused && fault.status === 404 && peer.sessionId !== undefined

/** Whether what carried messages to a server is gone, so that only a new one can. */
export const isDead = (fault: unknown): boolean =>
  fault instanceof Fault && (fault.code === 'mcp_server_died' || fault.code === 'mcp_session_closed')
