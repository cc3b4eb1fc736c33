import { defer, EMPTY, from, mergeMap, type Observable, of, retry, throwError, timer } from 'rxjs'
import { jsonObjectOr } from '../../../../protocols/json/json-object.ts'
import type { Notification, Request } from '../../../../protocols/json-rpc/message.ts'
import { SUBSCRIPTION_ID_KEY } from '../../../../protocols/mcp/meta.ts'
import { ServerRefused } from '../../../../upstream/mcp/server-refused.ts'
import { listsChanged } from '../sessions/lists-changed.ts'
import { type FromServer, isOutcome } from '../servers/peer.ts'

/**
 * The news of a subscription, however often the server goes away: it is subscribed to again, and what changed meanwhile
 * is anybody's guess, so that the lists count as changed.
 *
 * @param subscribe Sends the request.
 * @param kinds What the server has lists of.
 */
export const modernNews = (
  subscribe: () => Observable<FromServer>,
  kinds: readonly string[],
): Observable<Notification | Request> => {
  let wasAway = false
  return defer(subscribe).pipe(
    mergeMap((message): Observable<Notification | Request> => {
      if (isOutcome(message)) return 'error' in message ? EMPTY : throwError(() => new Error('it has ended'))
      if (message.method !== 'notifications/subscriptions/acknowledged')
        return of(withoutSubscription(message))
      const news = wasAway ? listsChanged(kinds) : []
      wasAway = false
      return from(news)
    }),
    retry({
      delay: (fault: unknown, count) => {
        wasAway = true
        // A server that has no news for anybody says so, which is no concern of the client's.
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

const withoutSubscription = (message: Notification | Request): Notification | Request => {
  const meta = jsonObjectOr(message.params?._meta)
  if (!(SUBSCRIPTION_ID_KEY in meta)) return message
  const { [SUBSCRIPTION_ID_KEY]: _, ...kept } = meta
  const { _meta: __, ...rest } = message.params ?? {}
  return { ...message, params: Object.keys(kept).length > 0 ? { ...rest, _meta: kept } : rest }
}
