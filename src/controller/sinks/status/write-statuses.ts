import {
  catchError,
  concatMap,
  defer,
  EMPTY,
  map,
  type Observable,
  of,
  type OperatorFunction,
  throwError,
} from 'rxjs'
import type { ModuleLog } from '../../../model/log/module-log.ts'
import type { ApiClient } from '../../api/api-client.ts'
import { type ApiFailure, asApiFailure } from '../../api/api-failure.ts'
import { ifNotFound } from '../../api/if-not-found.ts'
import { objectPath } from '../../api/resource-path.ts'
import { type Kind, kinds } from '../../kinds/kinds.ts'
import { type KubernetesObject, kubernetesTime } from '../../kinds/object.ts'
import { workOnLatest } from '../latest-work.ts'
import { RewriteLimit } from '../rewrite-limit.ts'
import { mergeStatus, sharedEntries } from './merge-status.ts'
import { namesController } from './names-controller.ts'
import type { CurrentStatus, DesiredStatus } from './object-status.ts'

/** What the status of an object should be. */
export interface StatusUpdate {
  readonly kind: Kind
  readonly key: string
  /** Undefined if the object is not ours, or not any more. */
  readonly status: DesiredStatus | undefined
}

/** What became of an update. A failure is followed by another attempt. */
export interface StatusOutcome {
  readonly kind: Kind
  readonly key: string
  readonly result: 'written' | 'unchanged' | 'gone' | 'failed'
  readonly failure?: ApiFailure
}

/** What writing statuses needs. */
export interface StatusWriterOptions {
  readonly client: ApiClient
  /** An object as it is known now, with its status. */
  readonly current: (kind: Kind, key: string) => KubernetesObject | undefined
  /** Names our entries in lists that others write too, and owns the fields that are written. */
  readonly controllerName: string
  readonly isLeader$: Observable<boolean>
  /** Objects that changed, be it only in their status: others may have removed what we wrote. */
  readonly changes$?: Observable<Pick<StatusUpdate, 'kind' | 'key'>>
  readonly log: ModuleLog
  readonly concurrency?: number
  /** The time, for transitions of conditions. */
  readonly now?: () => Date
}

/**
 * Writes statuses: our part of each, by server-side apply, if the object does not have it yet. The latest update of an
 * object counts; a new leader writes all.
 */
export const writeStatuses = (
  options: StatusWriterOptions,
): OperatorFunction<StatusUpdate, StatusOutcome> => {
  const writer: StatusWriter = { ...options, rewrites: new RewriteLimit() }
  return workOnLatest<StatusUpdate, StatusOutcome>({
    ...options,
    keyOf: idOf,
    again$: (options.changes$ ?? EMPTY).pipe(map(idOf)),
    isLast: ({ status }) => status === undefined,
    hasWork: ({ kind, key, status }) => status !== undefined || options.current(kind, key) !== undefined,
    work: (update) => writeStatus(update, writer),
    onFailure: (update, failure, delayMs) => {
      const { kind, key } = update
      const { status, reason, message } = failure
      const fields = { kind, object: key, status, reason, error: message, delay_ms: Math.round(delayMs) }
      options.log.warn?.('a status cannot be written', fields)
      return { kind, key, result: 'failed', failure }
    },
    concurrency: options.concurrency ?? 16,
    backoff: { firstMs: 200, maxMs: 30_000 },
  })
}

interface StatusWriter extends StatusWriterOptions {
  readonly rewrites: RewriteLimit<StatusUpdate>
}

const writeStatus = (update: StatusUpdate, options: StatusWriter): Observable<StatusOutcome> =>
  defer(() => {
    const object = options.current(update.kind, update.key)
    return object ? writeTo(object, update, options, CONFLICTS) : of('gone' as const)
  }).pipe(map((result) => ({ kind: update.kind, key: update.key, result })))

const idOf = ({ kind, key }: Pick<StatusUpdate, 'kind' | 'key'>): string => `${kind}/${key}`

/** Whether the status has fields of ours although it should have none: no other client removes them. */
const isReleased = (object: KubernetesObject, { kind, status }: StatusUpdate, controllerName: string) =>
  status === undefined && !sharedEntries[kind] && namesController(kind, object, controllerName)

/** Applying nothing removes the fields that no other client has applied. */
const RELEASE = { status: undefined, isShared: false } as const

type Result = 'written' | 'unchanged' | 'gone'

const writeTo = (
  object: KubernetesObject,
  update: StatusUpdate,
  options: StatusWriter,
  attempts: number,
): Observable<Result> => {
  const { client, controllerName, now = () => new Date() } = options
  const { status } = object as KubernetesObject & { readonly status?: CurrentStatus }
  const write = isReleased(object, update, controllerName)
    ? RELEASE
    : mergeStatus(update.kind, status ?? {}, update.status, { controllerName, now: kubernetesTime(now()) })
  if (!write) return of('unchanged')
  const refusal = options.rewrites.admit(update)
  if (refusal) return throwError(() => refusal)
  const { apiVersion, kind, metadata } = object
  const { name, namespace, uid, resourceVersion } = metadata
  const path = objectPath(kinds[update.kind], metadata, 'status')
  const body = {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, ...(write.isShared ? { resourceVersion } : {}) },
    status: write.status,
  }
  return client
    .request({
      method: 'PATCH',
      path,
      query: { fieldManager: controllerName, force: true },
      contentType: 'application/apply-patch+yaml',
      body,
    })
    .pipe(
      map((): Result => 'written'),
      catchError((error: unknown) => {
        const failure = asApiFailure(error)
        if (failure.isNotFound) return of('gone' as const)
        // Another client wrote meanwhile: what it wrote is merged. Where nothing is merged, the next attempt is enough.
        if (write.isShared && failure.isConflict && attempts > 1)
          return readAgain(object, update, options).pipe(
            concatMap((newest) =>
              newest ? writeTo(newest, update, options, attempts - 1) : of('gone' as const),
            ),
          )
        return throwError(() => failure)
      }),
    )
}

/** The newest version of an object; undefined if it is gone, or another one has its name. */
const readAgain = (
  { metadata }: KubernetesObject,
  { kind }: StatusUpdate,
  { client }: StatusWriterOptions,
): Observable<KubernetesObject | undefined> =>
  client.request({ method: 'GET', path: objectPath(kinds[kind], metadata) }).pipe(
    map((body) => body as KubernetesObject),
    map((newest) => (newest.metadata.uid === metadata.uid ? newest : undefined)),
    ifNotFound(undefined),
  )

const CONFLICTS = 5
