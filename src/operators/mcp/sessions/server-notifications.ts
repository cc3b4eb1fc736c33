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
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Notification, JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import { isDead, isSessionLost } from '../federation/call-server.ts'
import { listsChanged } from './lists-changed.ts'
import type { ServerClient } from '../servers/server-client.ts'
import type { McpSession } from './session.ts'
import type { Target } from '../servers/target.ts'

/**
 * Messages of a server to a session outside of requests, across reconnections of the server. After a reconnection the
 * lists count as changed.
 *
 * @param hasNone Called if the server has no such stream.
 */
export const serverNotifications = (
  session: McpSession,
  target: Target,
  x: Exchange,
  hasNone: () => void = () => undefined,
): Observable<Notification | JsonRpcRequest> => {
  let before = session.known(target.name)
  const notificationsOf = (server: ServerClient): Observable<Notification | JsonRpcRequest> => {
    const isBack = before !== server
    before = server
    if (isBack) target.state.succeeded()
    return concat(
      from(isBack ? listsChanged(Object.keys(server.about?.capabilities ?? {})) : []),
      server.listen(target.requestContext(x)).pipe(
        tap({ complete: hasNone }),
        catchError((fault: unknown) => {
          // A server without such a stream may fail in any way; that alone is no reason to reconnect.
          if (isDead(fault) || isSessionLost(fault, server)) session.discard(server)
          return EMPTY
        }),
      ),
      NEVER,
    )
  }
  return defer(() => session.connect(target, x)).pipe(
    mergeMap((server) => {
      const left = session
        .onLeft(server)
        .pipe(mergeMap(() => throwError(() => new Error('the server was left'))))
      return merge(left, notificationsOf(server))
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
