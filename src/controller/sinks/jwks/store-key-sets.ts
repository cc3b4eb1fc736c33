import {
  concatMap,
  defer,
  finalize,
  map,
  Observable,
  of,
  type OperatorFunction,
  Subject,
  type Subscription,
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
      const schedule = new Schedule()
      return items$.pipe(
        workOnLatest<KeySetItem, KeySetOutcome>({
          isLeader$: options.isLeader$,
          again$: schedule.due$,
          keyOf: ({ name }) => name,
          isLast: ({ source }) => source === undefined,
          hasWork: () => true,
          work: (item) => storeKeySet(item, options, schedule),
          onFailure: ({ name, source }, { message }, delayMs) => {
            const fields = { key_set: name, url: source?.url, error: message, delay_ms: Math.round(delayMs) }
            options.log.warn?.('a key set cannot be fetched or stored', fields)
            return { name, result: 'failed' }
          },
          concurrency: 10,
          backoff: { firstMs: 200, maxMs: 60_000 },
        }),
        finalize(() => {
          schedule.close()
        }),
      )
    })

/** When key sets are looked at again. Each has one timer, however often it is looked at: by new leaders, for example. */
class Schedule {
  readonly #due$ = new Subject<string>()
  readonly #timers = new Map<string, Subscription>()
  /** The names of key sets, each when it is due. */
  readonly due$ = this.#due$.asObservable()

  set(name: string, inMs: number): void {
    this.cancel(name)
    const due = timer(Math.min(inMs, LONGEST_TIMER_MS)).subscribe(() => {
      this.#timers.delete(name)
      this.#due$.next(name)
    })
    this.#timers.set(name, due)
  }

  cancel(name: string): void {
    this.#timers.get(name)?.unsubscribe()
    this.#timers.delete(name)
  }

  close(): void {
    for (const name of [...this.#timers.keys()]) this.cancel(name)
  }
}

/** A timer of more than 24 days would end at once. What is looked at early is fresh. */
const LONGEST_TIMER_MS = 24 * 3_600_000

const storeKeySet = (
  { name, source }: KeySetItem,
  options: KeySetOptions,
  schedule: Schedule,
): Observable<KeySetOutcome> => {
  const { client, namespace, now = Date.now } = options
  if (!source) {
    schedule.cancel(name)
    return client.request({ method: 'DELETE', path: objectPath(kinds.ConfigMap, { namespace, name }) }).pipe(
      ifNotFound(undefined),
      map((): KeySetOutcome => ({ name, result: 'deleted' })),
    )
  }
  const fetchedAt = options.fetchedAt(name)
  const leftMs = fetchedAt === undefined ? 0 : fetchedAt + source.refreshMs - now()
  // With more than that left, a clock was wrong.
  if (leftMs > 0 && leftMs <= source.refreshMs) {
    schedule.set(name, leftMs)
    return of({ name, result: 'fresh' })
  }
  return fetched(source, options.isAllowed).pipe(
    concatMap((jwks) => {
      const stored = { url: source.url, fetchedAt: new Date(now()).toISOString(), jwks }
      return applyObject(options.configMap(name, stored), { client, fieldManager: options.fieldManager })
    }),
    tap(() => {
      schedule.set(name, source.refreshMs)
    }),
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
