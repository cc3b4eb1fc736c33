import {
  catchError,
  concat,
  defer,
  EMPTY,
  from,
  merge,
  mergeMap,
  NEVER,
  type Observable,
  retry,
  tap,
  throwError,
  timer,
} from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import type { Notification, Request } from '../../../../protocols/json-rpc/message.ts'
import { isDead, isForgotten } from '../federation/ask-peer.ts'
import { listsChanged } from './lists-changed.ts'
import type { Peer } from '../servers/peer.ts'
import type { McpSession } from './session.ts'
import type { Target } from '../servers/target.ts'

/**
 * What a server says to a session outside of its requests, however often the server goes away or forgets the session, and
 * whoever finds that out first. One that was missing and is there again has other lists than none: the client is told so.
 *
 * @param hasNone Told if the server says that it has no such stream.
 */
export const stayInTouch = (
  session: McpSession,
  target: Target,
  x: Exchange,
  hasNone: () => void = () => undefined,
): Observable<Notification | Request> => {
  let before = session.known(target.name)
  const heard = (peer: Peer): Observable<Notification | Request> => {
    const isBack = before !== peer
    before = peer
    if (isBack) target.memory.isWell()
    return concat(
      from(isBack ? listsChanged(Object.keys(peer.about?.capabilities ?? {})) : []),
      peer.listen(target.behalf(x)).pipe(
        tap({ complete: hasNone }),
        catchError((fault: unknown) => {
          // A server may have no such stream and say so in any way; that is no reason to begin anew with it.
          if (isDead(fault) || isForgotten(fault, peer)) session.forget(peer)
          return EMPTY
        }),
      ),
      NEVER,
    )
  }
  return defer(() => session.peer(target, x)).pipe(
    mergeMap((peer) => {
      const left = session.left(peer).pipe(mergeMap(() => throwError(() => new Error('the server was left'))))
      return merge(left, heard(peer))
    }),
    retry({
      delay: (_, count) =>
        session.isLost ? EMPTY : timer(Math.min(FIRST_WAIT_MS * 2 ** (count - 1), MAX_WAIT_MS)),
      resetOnSuccess: true,
    }),
  )
}

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000
