import {
  concatMap,
  defer,
  EMPTY,
  expand,
  map,
  type Observable,
  of,
  type OperatorFunction,
  reduce,
} from 'rxjs'
import type { ModuleLog } from '../../model/log/module-log.ts'
import type { ApiClient } from '../api/api-client.ts'
import { collectionPath, objectPath } from '../api/resource-path.ts'
import type { Gateway, GatewayClass } from '../kinds/gateway-api.ts'
import { kinds } from '../kinds/kinds.ts'
import { workOnLatest } from './latest-work.ts'

/** A GatewayClass, and whether it must not be deleted. */
export interface HeldClass {
  readonly key: string
  /** Undefined if the class is gone, or not ours. */
  readonly isUsed: boolean | undefined
}

/** What became of the finalizer of a class. */
export interface HoldOutcome {
  readonly key: string
  readonly result: 'held' | 'released' | 'unchanged' | 'failed'
}

/** What holding classes needs. */
export interface HoldOptions {
  readonly client: ApiClient
  readonly fieldManager: string
  readonly isLeader$: Observable<boolean>
  /** Classes that others have changed. */
  readonly again$: Observable<string>
  /** A class as it is known now. */
  readonly current: (key: string) => GatewayClass | undefined
  readonly log: ModuleLog
}

/** The finalizer of the Gateway API for classes that Gateways use. */
const FINALIZER = 'gateway-exists-finalizer.gateway.networking.k8s.io'

/**
 * Gives classes that are used the finalizer of the Gateway API, so that deleting one waits for its Gateways, and takes
 * it away when no Gateway of the cluster uses them: the API server is asked, since Gateways of namespaces that are not
 * selected may belong to another control plane of the same name.
 */
export const holdClasses = (options: HoldOptions): OperatorFunction<HeldClass, HoldOutcome> =>
  workOnLatest<HeldClass, HoldOutcome>({
    ...options,
    keyOf: ({ key }) => key,
    isLast: ({ isUsed }) => isUsed === undefined,
    hasWork: ({ key, isUsed }) => isUsed !== undefined && options.current(key) !== undefined,
    work: (held) => defer(() => holdClass(held, options)).pipe(map((result) => ({ key: held.key, result }))),
    onFailure: ({ key }, { status, reason, message }, delayMs) => {
      const fields = { class: key, status, reason, error: message, delay_ms: Math.round(delayMs) }
      options.log.warn?.('the finalizer of a class cannot be changed', fields)
      return { key, result: 'failed' }
    },
    concurrency: 1,
    backoff: { firstMs: 500, maxMs: 30_000 },
  })

const holdClass = ({ key, isUsed }: HeldClass, options: HoldOptions): Observable<HoldOutcome['result']> => {
  const object = options.current(key)
  if (!object || isUsed === undefined) return of('unchanged')
  const { finalizers = [], deletionTimestamp } = object.metadata
  const isHeld = finalizers.includes(FINALIZER)
  if (isUsed)
    // An object that is being deleted takes no new finalizer.
    return isHeld || deletionTimestamp !== undefined
      ? of('unchanged')
      : writeFinalizers(object, [...finalizers, FINALIZER], options).pipe(map(() => 'held'))
  if (!isHeld) return of('unchanged')
  const others = finalizers.filter((name) => name !== FINALIZER)
  return isUsedAnywhere(key, options.client).pipe(
    concatMap((isStillUsed) =>
      isStillUsed
        ? of('unchanged' as const)
        : writeFinalizers(object, others, options).pipe(map(() => 'released' as const)),
    ),
  )
}

/** Of the version that was looked at: the list is replaced, and others may have changed it. */
const writeFinalizers = (
  { metadata }: GatewayClass,
  finalizers: readonly string[],
  { client, fieldManager }: HoldOptions,
): Observable<unknown> => {
  const { uid, resourceVersion } = metadata
  return client.request({
    method: 'PATCH',
    path: objectPath(kinds.GatewayClass, metadata),
    query: { fieldManager },
    contentType: 'application/merge-patch+json',
    body: { metadata: { uid, resourceVersion, finalizers } },
  })
}

const isUsedAnywhere = (name: string, client: ApiClient): Observable<boolean> => {
  const page = (next?: string) =>
    client
      .request({
        method: 'GET',
        path: collectionPath(kinds.Gateway),
        query: { limit: PAGE_SIZE, continue: next },
      })
      .pipe(map((body) => body as GatewayPage))
  return page().pipe(
    expand(({ metadata }) => (metadata.continue ? page(metadata.continue) : EMPTY)),
    reduce(
      (isUsed, { items }) => isUsed || (items ?? []).some(({ spec }) => spec.gatewayClassName === name),
      false,
    ),
  )
}

interface GatewayPage {
  readonly metadata: { readonly continue?: string }
  readonly items: readonly Gateway[] | null
}

const PAGE_SIZE = 100
