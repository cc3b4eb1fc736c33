import { catchError, EMPTY, from, mergeMap, type Observable, takeUntil, timer } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import type { Notification, Response } from '../../../../protocols/json-rpc/message.ts'
import type { Federation } from '../federation/federation.ts'
import type { McpSession } from '../sessions/session.ts'

/** What a client tells: a notification, or the answer to a request of a server's. Completes when it has been passed on. */
export const tell = (
  federation: Federation,
  session: McpSession,
  message: Notification | Response,
  x: Exchange,
): Observable<never> =>
  'method' in message ? notify(federation, session, message, x) : answer(federation, session, message, x)

const notify = (
  federation: Federation,
  session: McpSession,
  { method, params }: Notification,
  x: Exchange,
): Observable<never> => {
  if (method === 'notifications/cancelled') {
    session.cancel(params?.requestId)
    return EMPTY
  }
  const owned = method === 'notifications/progress' ? federation.renaming.progressOf(params) : undefined
  const peers = owned ? [session.known(owned.target)] : [...session.peers]
  return from(peers).pipe(
    mergeMap((peer) => {
      const target = peer && federation.target(peer.target)
      if (!peer || !target) return EMPTY
      return from(peer.notify({ method, params: owned ? owned.params : params }, target.behalf(x))).pipe(
        mergeMap(() => EMPTY),
        // One that cannot hear it is no reason why the others should not; its next request says what is wrong.
        catchError(() => EMPTY),
      )
    }),
    // One that takes it slowly keeps the client from nothing else.
    takeUntil(timer(PATIENCE_MS)),
  )
}

const PATIENCE_MS = 1_000

const answer = (
  federation: Federation,
  session: McpSession,
  message: Response,
  x: Exchange,
): Observable<never> => {
  const { id } = message
  const whose = id === undefined || id === null ? undefined : federation.renaming.names.splitRequestId(id)
  const peer = whose && session.known(whose.target)
  const target = whose && federation.target(whose.target)
  // An answer to nothing: the question may have been given up while the client thought about it.
  if (!peer || !target) return EMPTY
  const outcome = 'result' in message ? { result: message.result } : { error: message.error }
  return from(peer.answer(whose.id, outcome, target.behalf(x))).pipe(mergeMap(() => EMPTY))
}
