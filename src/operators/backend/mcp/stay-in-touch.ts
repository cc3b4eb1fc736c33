import {
  catchError,
  concat,
  defer,
  EMPTY,
  from,
  map,
  mergeMap,
  type Observable,
  of,
  retry,
  throwError,
  timer,
} from 'rxjs'
import type { Exchange } from '../../../model/exchange.ts'
import type { Notification, Request } from '../../../protocols/json-rpc/message.ts'
import { isDead } from './ask-peer.ts'
import type { McpSession } from './session.ts'
import type { Target } from './target.ts'

/**
 * What a server says to a session outside of its requests, however often the server goes away. One that was missing and
 * is there again has other lists than none: the client is told so.
 */
export const stayInTouch = (
  session: McpSession,
  target: Target,
  x: Exchange,
): Observable<Notification | Request> => {
  const reach = defer(() => {
    const known = session.known(target.name)
    if (known) return of({ peer: known, isBack: false })
    return session.peer(target, x).pipe(map((peer) => ({ peer, isBack: true })))
  })
  return defer(() => reach).pipe(
    mergeMap(({ peer, isBack }) => {
      const news = isBack ? listsChanged(Object.keys(peer.about?.capabilities ?? {})) : []
      if (isBack) target.memory.isWell()
      return concat(
        from(news),
        peer.listen(target.behalf(x)).pipe(
          catchError((fault: unknown) => {
            // A server may have no such stream and say so in any way; that is no reason to begin anew with it.
            if (!isDead(fault)) return EMPTY
            session.forget(peer)
            return throwError(() => fault)
          }),
        ),
      )
    }),
    retry({
      delay: (_, count) => timer(Math.min(FIRST_WAIT_MS * 2 ** (count - 1), MAX_WAIT_MS)),
      resetOnSuccess: true,
    }),
    catchError(() => EMPTY),
  )
}

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000

const listsChanged = (capabilities: readonly string[]): Notification[] =>
  ['tools', 'prompts', 'resources']
    .filter((kind) => capabilities.includes(kind))
    .map((kind) => ({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` }))
