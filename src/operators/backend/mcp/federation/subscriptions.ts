import { defer, ignoreElements, merge, mergeMap, Observable, retry, tap, timer } from 'rxjs'
import { Fault } from '../../../../model/fault.ts'
import type { Exchange } from '../../../../model/exchange.ts'
import { jsonObjectOr } from '../../../../protocols/json/json-object.ts'
import type { Id, JsonObject, Notification } from '../../../../protocols/json-rpc/message.ts'
import { SUBSCRIPTION_ID_KEY, withMeta } from '../../../../protocols/mcp/meta.ts'
import type { OpenStreams } from '../../../../upstream/mcp/open-streams.ts'
import type { Access } from '../sessions/access.ts'
import type { Federation } from './federation.ts'
import { listsChangedIn } from '../sessions/lists-changed.ts'
import { type FromServer, isOutcome } from '../servers/peer.ts'
import type { Target } from '../servers/target.ts'

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'

/**
 * `subscriptions/listen` at several servers: one acknowledgement of what any of them grants, then their news, under the
 * id of the client's request and in the client's names. A server that fails takes nothing from what the others tell.
 */
export const listenToAll = (
  federation: Federation,
  access: Access,
  x: Exchange,
  id: Id,
  params: JsonObject | undefined,
  streams: OpenStreams,
): Observable<FromServer> =>
  new Observable((out) => {
    out.add(
      streams.add(() => {
        out.next({ result: { resultType: 'complete', _meta: { [SUBSCRIPTION_ID_KEY]: id } } })
        out.complete()
      }),
    )
    const grants = new Map<Target, JsonObject>()
    const { targets } = federation
    let waiting = targets.length
    let early: Notification[] | undefined = []
    let lastFault: unknown
    const acknowledge = (): void => {
      if (!early) return
      const missed = early
      early = undefined
      if (grants.size === 0 && lastFault !== undefined) {
        out.error(lastFault)
        return
      }
      const notifications = federation.renaming.granted(
        Array.from(grants, ([target, granted]) => ({ target: target.name, granted })),
      )
      out.next(tagged({ jsonrpc: '2.0', method: ACKNOWLEDGED, params: { notifications } }, id))
      for (const message of missed) out.next(tagged(message, id))
    }
    const settle = (): void => {
      if (--waiting === 0) acknowledge()
    }
    const each = (target: Target): Observable<never> => {
      const filter = federation.newsFrom(target, x, params)
      let isSettled = false
      let wasAway = false
      const once = (): void => {
        if (!isSettled) settle()
        isSettled = true
      }
      const say = (message: Notification): void => {
        if (early) early.push(message)
        else out.next(tagged(message, id))
      }
      const hear = (message: FromServer): void => {
        if (isOutcome(message)) {
          once()
          throw new Fault('mcp_server_erred', 'error' in message ? message.error.message : ENDED, {
            reason: 'MCP',
          })
        }
        if (message.method === ACKNOWLEDGED) {
          const granted = jsonObjectOr(message.params?.notifications)
          grants.set(target, granted)
          // Whatever changed while nobody listened, nobody heard of.
          if (wasAway) for (const changed of listsChangedIn(granted)) say(changed)
          wasAway = false
          once()
        } else if (!('id' in message)) say(federation.heard(target.name, message))
      }
      return defer(() => access.peer(target, x)).pipe(
        mergeMap((peer) =>
          peer.call(
            { method: 'subscriptions/listen', params: { ...params, notifications: filter } },
            target.behalf(x),
          ),
        ),
        tap(hear),
        retry({
          delay: (fault: unknown, count) => {
            lastFault = fault
            wasAway = true
            once()
            return timer(Math.min(FIRST_WAIT_MS * 2 ** (count - 1), MAX_WAIT_MS))
          },
          resetOnSuccess: true,
        }),
        ignoreElements(),
      )
    }
    out.add(timer(PATIENCE_MS).subscribe(acknowledge))
    // The stream lasts until the client leaves, whatever becomes of the servers.
    out.add(merge(...targets.map(each)).subscribe())
  })

/** A server that does not answer must not keep the others' news from the client. */
const PATIENCE_MS = 5_000

/** A server that is away is asked again, less and less often. */
const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000
const ENDED = 'the server ended the subscription'

/** The message as part of the subscription that the client knows by this id. */
const tagged = (message: Notification, id: Id): Notification => ({
  ...message,
  params: withMeta(message.params, { [SUBSCRIPTION_ID_KEY]: id }),
})
