import { concat, EMPTY, finalize, forkJoin, mergeMap, Observable, of } from 'rxjs'
import { jsonObjectOr } from '../../../protocols/json/json-object.ts'
import type { JsonObject, Notification, JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import type { RequestContext } from '../../../upstream/mcp/transport.ts'
import type { Lease } from './lease.ts'
import { refuseUnsolicited } from './unsolicited-requests.ts'
import { type FromServer, isOutcome } from '../servers/server-client.ts'

/** `subscriptions/listen` at a server with sessions: its stream of notifications, and a subscription for each resource. */
export const legacyNotifications = (
  lease: Lease,
  params: JsonObject | undefined,
  context: RequestContext,
): Observable<FromServer> => {
  const notifications = jsonObjectOr(params?.notifications)
  const uris = Array.isArray(notifications.resourceSubscriptions)
    ? notifications.resourceSubscriptions.map(String)
    : []
  const subscribing = uris.map((uri) =>
    lease.server.call({ method: 'resources/subscribe', params: { uri } }, context).pipe(
      mergeMap((message) => {
        if (isOutcome(message)) return of({ uri, accepted: 'result' in message })
        refuse(lease, message, context)
        return EMPTY
      }),
    ),
  )
  const subscribed = subscribing.length === 0 ? of([]) : forkJoin(subscribing)
  return subscribed.pipe(
    mergeMap((results) => {
      const accepted = results.filter((result) => result.accepted).map(({ uri }) => uri)
      const granted = { ...notifications, ...(uris.length > 0 && { resourceSubscriptions: accepted }) }
      return concat(of(acknowledged(granted)), notificationsOf(lease, granted, context))
    }),
    finalize(() => {
      lease.release(true)
    }),
  )
}

/** The notifications that were granted, and no others. The stream lasts until the client disconnects. */
const notificationsOf = (
  lease: Lease,
  granted: JsonObject,
  context: RequestContext,
): Observable<FromServer> =>
  new Observable((out) => {
    lease.unsolicited.stop()
    return lease.server.listen(context).subscribe({
      next: (message) => {
        if ('id' in message) refuse(lease, message, context)
        else if (isGranted(message, granted)) out.next(message)
      },
      error: (fault: unknown) => {
        out.error(fault)
      },
    })
  })

/** A notification stream carries no requests to the client. */
const refuse = ({ server }: Lease, message: Notification | JsonRpcRequest, context: RequestContext): void => {
  if ('id' in message) server.respond(message.id, refuseUnsolicited(message), context).catch(() => undefined)
}

const isGranted = ({ method, params }: Notification, granted: JsonObject): boolean => {
  if (method === 'notifications/tools/list_changed') return granted.toolsListChanged === true
  if (method === 'notifications/prompts/list_changed') return granted.promptsListChanged === true
  if (method === 'notifications/resources/list_changed') return granted.resourcesListChanged === true
  const { resourceSubscriptions: uris } = granted
  return method === 'notifications/resources/updated' && Array.isArray(uris) && uris.includes(params?.uri)
}

const acknowledged = (notifications: JsonObject): Notification => ({
  jsonrpc: '2.0',
  method: 'notifications/subscriptions/acknowledged',
  params: { notifications },
})
