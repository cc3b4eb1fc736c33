import { concat, EMPTY, finalize, forkJoin, mergeMap, Observable, of } from 'rxjs'
import { jsonObjectOr } from '../../../../protocols/json/json-object.ts'
import type { JsonObject, Notification } from '../../../../protocols/json-rpc/message.ts'
import type { Behalf } from '../../../../upstream/mcp/wire.ts'
import type { Lease } from './leases.ts'
import { type FromServer, isOutcome } from '../servers/peer.ts'

/** `subscriptions/listen` at a server with sessions: its stream of notifications, and a subscription for each resource. */
export const legacyNews = (
  lease: Lease,
  params: JsonObject | undefined,
  behalf: Behalf,
): Observable<FromServer> => {
  const wanted = jsonObjectOr(params?.notifications)
  const uris = Array.isArray(wanted.resourceSubscriptions) ? wanted.resourceSubscriptions.map(String) : []
  const subscribing = uris.map((uri) =>
    lease.peer
      .call({ method: 'resources/subscribe', params: { uri } }, behalf)
      .pipe(mergeMap((message) => (isOutcome(message) ? of({ uri, taken: 'result' in message }) : EMPTY))),
  )
  const subscribed = subscribing.length === 0 ? of([]) : forkJoin(subscribing)
  return subscribed.pipe(
    mergeMap((answers) => {
      const taken = answers.filter((answer) => answer.taken).map(({ uri }) => uri)
      const granted = { ...wanted, ...(uris.length > 0 && { resourceSubscriptions: taken }) }
      return concat(of(acknowledged(granted)), news(lease, granted, behalf))
    }),
    finalize(() => {
      lease.release(true)
    }),
  )
}

/** What the client asked to hear of, and nothing else. The stream lasts until the client leaves. */
const news = (lease: Lease, granted: JsonObject, behalf: Behalf): Observable<FromServer> =>
  new Observable((out) =>
    lease.peer.listen(behalf).subscribe({
      next: (message) => {
        if (!('id' in message) && isWanted(message, granted)) out.next(message)
      },
      error: (fault: unknown) => {
        out.error(fault)
      },
    }),
  )

const isWanted = ({ method, params }: Notification, granted: JsonObject): boolean => {
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
