import { catchError, EMPTY, from, mergeMap, type Observable, takeUntil, timer } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Notification, Response } from '../../../protocols/json-rpc/message.ts'
import type { Federation } from '../federation/federation.ts'
import type { McpSession } from '../sessions/session.ts'

/** Forwards a client's notification, or its response to a server's request. Completes when that is done. */
export const forwardNotification = (
  federation: Federation,
  session: McpSession,
  message: Notification | Response,
  x: Exchange,
): Observable<never> =>
  'method' in message ? notify(federation, session, message, x) : respond(federation, session, message, x)

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
  const resolved = method === 'notifications/progress' ? federation.renaming.progressOf(params) : undefined
  const servers = resolved ? [session.known(resolved.target)] : [...session.servers]
  return from(servers).pipe(
    mergeMap((server) => {
      const target = server && federation.target(server.target)
      if (!server || !target) return EMPTY
      return from(
        server.notify({ method, params: resolved ? resolved.params : params }, target.requestContext(x)),
      ).pipe(
        mergeMap(() => EMPTY),
        // A failing server must not affect the others; its next request reports the fault.
        catchError(() => EMPTY),
      )
    }),
    // A slow server must not delay the client.
    takeUntil(timer(NOTIFY_TIMEOUT_MS)),
  )
}

const NOTIFY_TIMEOUT_MS = 1_000

const respond = (
  federation: Federation,
  session: McpSession,
  message: Response,
  x: Exchange,
): Observable<never> => {
  const { id } = message
  const owner = id === undefined || id === null ? undefined : federation.renaming.names.splitRequestId(id)
  const server = owner && session.known(owner.target)
  const target = owner && federation.target(owner.target)
  // Not awaited: the server may have withdrawn the request meanwhile.
  if (!server || !target) return EMPTY
  const outcome = 'result' in message ? { result: message.result } : { error: message.error }
  return from(server.respond(owner.id, outcome, target.requestContext(x))).pipe(mergeMap(() => EMPTY))
}
