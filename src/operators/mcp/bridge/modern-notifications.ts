import { defer, EMPTY, from, mergeMap, type Observable, of, retry, throwError, timer } from 'rxjs'
import { jsonObjectOr } from '../../../protocols/json/json-object.ts'
import type { Notification, JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import { SUBSCRIPTION_ID_KEY } from '../../../protocols/mcp/meta.ts'
import { ServerRefused } from '../../../upstream/mcp/http-status-error.ts'
import { listsChanged } from '../sessions/lists-changed.ts'
import { type FromServer, isOutcome } from '../servers/server-client.ts'

/**
 * The notifications of a subscription, which is renewed whenever the server disconnects. The lists count as changed
 * then, since changes may have been missed.
 *
 * @param subscribe Sends the request.
 * @param kinds Kinds of lists that the server has.
 */
export const modernNotifications = (
  subscribe: () => Observable<FromServer>,
  kinds: readonly string[],
): Observable<Notification | JsonRpcRequest> => {
  let wasDisconnected = false
  return defer(subscribe).pipe(
    mergeMap((message): Observable<Notification | JsonRpcRequest> => {
      if (isOutcome(message)) return 'error' in message ? EMPTY : throwError(() => new Error('it has ended'))
      if (message.method !== 'notifications/subscriptions/acknowledged')
        return of(withoutSubscription(message))
      const changes = wasDisconnected ? listsChanged(kinds) : []
      wasDisconnected = false
      return from(changes)
    }),
    retry({
      delay: (fault: unknown, count) => {
        wasDisconnected = true
        // A refusal means that the server has no notifications; the client gets no error.
        return fault instanceof ServerRefused && fault.status < 500
          ? EMPTY
          : timer(Math.min(FIRST_WAIT_MS * 2 ** (count - 1), MAX_WAIT_MS))
      },
      resetOnSuccess: true,
    }),
  )
}

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000

const withoutSubscription = (message: Notification | JsonRpcRequest): Notification | JsonRpcRequest => {
  const meta = jsonObjectOr(message.params?._meta)
  if (!(SUBSCRIPTION_ID_KEY in meta)) return message
  const { [SUBSCRIPTION_ID_KEY]: _, ...kept } = meta
  const { _meta: __, ...rest } = message.params ?? {}
  return { ...message, params: Object.keys(kept).length > 0 ? { ...rest, _meta: kept } : rest }
}
