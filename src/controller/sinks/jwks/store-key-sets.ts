import {
  concatMap,
  defer,
  groupBy,
  map,
  mergeMap,
  Observable,
  of,
  type OperatorFunction,
  Subject,
  switchMap,
  tap,
  timer,
} from 'rxjs'
import type { ModuleLog } from '../../../model/log/module-log.ts'
import type { ApiClient } from '../../api/api-client.ts'
import { ifNotFound } from '../../api/if-not-found.ts'
import { objectPath } from '../../api/resource-path.ts'
import { kinds } from '../../kinds/kinds.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import { applyObject } from '../apply/apply-object.ts'
import { workOnLatest } from '../latest-work.ts'
import type { FetchTarget } from './fetch-agent.ts'
import { fetchKeySet } from './fetch-key-set.ts'
import type { AddressCheck } from './fetch-guard.ts'

/** A ConfigMap of the store, and what to keep in it; without a source it is deleted. */
export interface KeySetItem {
  readonly name: string
  readonly source: (FetchTarget & { readonly refreshMs: number }) | undefined
}

/** What became of a key set. */
export interface KeySetOutcome {
  readonly name: string
  readonly result: 'fetched' | 'fresh' | 'deleted' | 'failed'
}

/** What storing key sets needs. */
export interface KeySetOptions {
  readonly client: ApiClient
  readonly fieldManager: string
  readonly namespace: string
  readonly isLeader$: Observable<boolean>
  /** When a key set was fetched, in milliseconds since the epoch; undefined if it is not there. */
  readonly fetchedAt: (name: string) => number | undefined
  /** The ConfigMap for a key set. */
  readonly configMap: (
    name: string,
    stored: { url: string; fetchedAt: string; jwks: string },
  ) => KubernetesObject
  readonly log: ModuleLog
  readonly isAllowed?: AddressCheck
  readonly now?: () => number
}

/**
 * Fetches key sets, again when they are old, and keeps each in a ConfigMap, from which all replicas read it. A fetch that
 * fails keeps the last key set. Key sets that nothing refers to are deleted.
 */
export const storeKeySets =
  (options: KeySetOptions): OperatorFunction<KeySetItem, KeySetOutcome> =>
  (items$) =>
    defer(() => {
      const due$ = new Subject<{ readonly name: string; readonly inMs: number }>()
      // A key set has one timer, however often it is looked at: by new leaders, for example.
      const again$ = due$.pipe(
        groupBy(({ name }) => name),
        mergeMap((ofName$) => ofName$.pipe(switchMap(({ name, inMs }) => timer(inMs).pipe(map(() => name))))),
      )
      return items$.pipe(
        workOnLatest<KeySetItem, KeySetOutcome>({
          isLeader$: options.isLeader$,
          again$,
          keyOf: ({ name }) => name,
          isLast: ({ source }) => source === undefined,
          hasWork: () => true,
          work: (item) => storeKeySet(item, options, (inMs) => due$.next({ name: item.name, inMs })),
          onFailure: ({ name, source }, { message }, delayMs) => {
            const fields = { key_set: name, url: source?.url, error: message, delay_ms: Math.round(delayMs) }
            options.log.warn?.('a key set cannot be fetched or stored', fields)
            return { name, result: 'failed' }
          },
          concurrency: 10,
          backoff: { firstMs: 200, maxMs: 60_000 },
        }),
      )
    })

const storeKeySet = (
  { name, source }: KeySetItem,
  options: KeySetOptions,
  onScheduled: (inMs: number) => void,
): Observable<KeySetOutcome> => {
  const { client, namespace, now = Date.now } = options
  if (!source)
    return client.request({ method: 'DELETE', path: objectPath(kinds.ConfigMap, { namespace, name }) }).pipe(
      ifNotFound(undefined),
      map((): KeySetOutcome => ({ name, result: 'deleted' })),
    )
  const fetchedAt = options.fetchedAt(name)
  const leftMs = fetchedAt === undefined ? 0 : fetchedAt + source.refreshMs - now()
  if (leftMs > 0) {
    onScheduled(leftMs)
    return of({ name, result: 'fresh' })
  }
  return fetched(source, options.isAllowed).pipe(
    concatMap((jwks) => {
      const stored = { url: source.url, fetchedAt: new Date(now()).toISOString(), jwks }
      return applyObject(options.configMap(name, stored), { client, fieldManager: options.fieldManager })
    }),
    tap(() => onScheduled(source.refreshMs)),
    map((): KeySetOutcome => ({ name, result: 'fetched' })),
  )
}

/** Ends with its subscription. */
const fetched = (source: FetchTarget, isAllowed: AddressCheck | undefined): Observable<string> =>
  new Observable((out) => {
    const ending = new AbortController()
    fetchKeySet(source, ending.signal, isAllowed).then(
      (text) => {
        out.next(text)
        out.complete()
      },
      (error: unknown) => out.error(error),
    )
    return () => {
      ending.abort()
    }
  })
