import {
  defer,
  EMPTY,
  ignoreElements,
  merge,
  mergeMap,
  Observable,
  retry,
  type Subscriber,
  tap,
  timer,
} from 'rxjs'
import { Fault } from '../../../model/exchange/fault.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { jsonObjectOr } from '../../../protocols/json/json-object.ts'
import { METHOD_NOT_FOUND } from '../../../protocols/json-rpc/error-codes.ts'
import type { Id, JsonObject, Notification } from '../../../protocols/json-rpc/message.ts'
import { methodNotFound } from '../../../protocols/mcp/errors.ts'
import { SUBSCRIPTION_ID_KEY, withMeta } from '../../../protocols/mcp/meta.ts'
import type { OpenStreams } from '../../../upstream/mcp/open-streams.ts'
import { ServerRefused } from '../../../upstream/mcp/http-status-error.ts'
import { jsonRpcErrorIn, McpRefusal } from '../response/json-rpc-error.ts'
import type { Access } from '../sessions/server-access.ts'
import type { Federation } from './federation.ts'
import { listsChangedIn } from '../sessions/lists-changed.ts'
import { type FromServer, isOutcome } from '../servers/server-client.ts'
import type { Target } from '../servers/target.ts'

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'

/**
 * `subscriptions/listen` at several servers: one acknowledgement of what any of them grants, then their notifications,
 * under the id of the client's request and in the client's names. A failing server does not affect the others. A server
 * without the method is not tried again; if none has it, the client gets the error.
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
    const { targets } = federation
    const merged = new MergedSubscription(federation, id, out)
    const listenings = targets.map((target) => listenTo(target, merged, { federation, access, x, params }))
    out.add(
      timer(ACKNOWLEDGE_AFTER_MS).subscribe(() => {
        merged.acknowledge()
      }),
    )
    // The stream lasts until the client disconnects, whatever becomes of the servers.
    out.add(merge(...listenings).subscribe())
  })

/** The subscription as the client sees it: it begins with the acknowledgement. */
class MergedSubscription {
  readonly #federation: Federation
  readonly #id: Id
  readonly #out: Subscriber<FromServer>
  readonly #grants = new Map<Target, JsonObject>()
  /** Servers that have neither acknowledged nor failed. */
  #waiting: number
  /** Notifications before the acknowledgement; undefined after it. */
  #early: Notification[] | undefined = []
  #lastFault: unknown
  /** Servers without the method. */
  #unknowing = 0

  constructor(federation: Federation, id: Id, out: Subscriber<FromServer>) {
    this.#federation = federation
    this.#id = id
    this.#out = out
    this.#waiting = federation.targets.length
  }

  emit(message: Notification): void {
    if (this.#early) this.#early.push(message)
    else this.#out.next(tagged(message, this.#id))
  }

  grant(target: Target, granted: JsonObject): void {
    this.#grants.set(target, granted)
  }

  failed(fault: unknown): void {
    this.#lastFault = fault
  }

  lacksMethod(): void {
    this.#unknowing++
  }

  /** Called once for each server, when it has acknowledged or failed. */
  targetReady(): void {
    if (--this.#waiting === 0) this.acknowledge()
  }

  acknowledge(): void {
    if (!this.#early) return
    const early = this.#early
    this.#early = undefined
    if (this.#unknowing === this.#federation.targets.length && this.#unknowing > 0) {
      this.#out.error(new McpRefusal('mcp_refused', methodNotFound('subscriptions/listen')))
      return
    }
    if (this.#grants.size === 0 && this.#lastFault !== undefined) {
      this.#out.error(this.#lastFault)
      return
    }
    const notifications = this.#federation.renaming.granted(
      Array.from(this.#grants, ([target, granted]) => ({ target: target.name, granted })),
    )
    this.emit({ jsonrpc: '2.0', method: ACKNOWLEDGED, params: { notifications } })
    for (const message of early) this.emit(message)
  }
}

interface Subscribing {
  readonly federation: Federation
  readonly access: Access
  readonly x: Exchange
  readonly params: JsonObject | undefined
}

/** The subscription at one server, renewed whenever it ends. */
const listenTo = (
  target: Target,
  merged: MergedSubscription,
  { federation, access, x, params }: Subscribing,
): Observable<never> => {
  const filter = federation.subscriptionsFor(target, x, params)
  let isReady = false
  let wasDisconnected = false
  const ready = (): void => {
    if (!isReady) merged.targetReady()
    isReady = true
  }
  const onMessage = (message: FromServer): void => {
    if (isOutcome(message)) {
      if ('error' in message && message.error.code === METHOD_NOT_FOUND) throw new Unknown()
      ready()
      throw new Fault('mcp_server_erred', 'error' in message ? message.error.message : ENDED, {
        reason: 'MCP',
      })
    }
    if (message.method === ACKNOWLEDGED) {
      const granted = jsonObjectOr(message.params?.notifications)
      merged.grant(target, granted)
      // Changes may have been missed while the server was away.
      if (wasDisconnected) for (const changed of listsChangedIn(granted)) merged.emit(changed)
      wasDisconnected = false
      ready()
    } else if (!('id' in message)) merged.emit(federation.toClient(target.name, message))
  }
  return defer(() => access.connect(target, x)).pipe(
    mergeMap((server) =>
      server.call(
        { method: 'subscriptions/listen', params: { ...params, notifications: filter } },
        target.requestContext(x),
      ),
    ),
    tap(onMessage),
    retry({
      delay: (fault: unknown, count) => {
        if (isUnknown(fault)) {
          if (!isReady) merged.lacksMethod()
          ready()
          return EMPTY
        }
        merged.failed(fault)
        wasDisconnected = true
        ready()
        return timer(Math.min(FIRST_WAIT_MS * 2 ** (count - 1), MAX_WAIT_MS))
      },
      resetOnSuccess: true,
    }),
    ignoreElements(),
  )
}

/** A server that does not respond must not delay the others' notifications. */
const ACKNOWLEDGE_AFTER_MS = 5_000

/** Delays between attempts double. */
const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000
const ENDED = 'the server ended the subscription'

/** The server does not have the method. */
class Unknown extends Error {}

/** Over HTTP a server may use a status for that. One with sessions may have no GET stream. */
const isUnknown = (fault: unknown): boolean =>
  fault instanceof Unknown ||
  (fault instanceof ServerRefused &&
    (fault.status === 405 || jsonRpcErrorIn(fault)?.code === METHOD_NOT_FOUND))

/** The message with the subscription id of the client. */
const tagged = (message: Notification, id: Id): Notification => ({
  ...message,
  params: withMeta(message.params, { [SUBSCRIPTION_ID_KEY]: id }),
})
