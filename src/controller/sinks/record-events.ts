import { createHash } from 'node:crypto'
import {
  catchError,
  defer,
  EMPTY,
  filter,
  finalize,
  ignoreElements,
  map,
  mergeMap,
  type Observable,
  type OperatorFunction,
  retry,
  tap,
  throwError,
  timer,
} from 'rxjs'
import type { ModuleLog } from '../../model/log/module-log.ts'
import type { ApiClient } from '../api/api-client.ts'
import { asApiFailure } from '../api/api-failure.ts'
import { collectionPath, objectPath } from '../api/resource-path.ts'
import { type KubernetesObject, kubernetesTime } from '../kinds/object.ts'
import { EventLimits } from './event-limits.ts'

/** An Event about an object. */
export interface ObjectEvent {
  readonly object: KubernetesObject
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** What recording events needs. */
export interface EventRecorderOptions {
  readonly client: ApiClient
  /** The name of the controller. */
  readonly component: string
  readonly log: ModuleLog
  readonly now?: () => Date
}

/**
 * Records Kubernetes Events: those of the proxies of this replica, whoever leads. The same event of an object has one
 * name, so that several replicas record one; it is recorded again after ten minutes, and counted. An object gets ten events
 * at once and then one a minute, and the objects of a namespace 150 and then one a second; more are dropped, and so are
 * those that the API server refuses, is too slow for, or has not responded to several times.
 */
export const recordEvents =
  ({
    client,
    component,
    log,
    now = () => new Date(),
  }: EventRecorderOptions): OperatorFunction<ObjectEvent, never> =>
  (events$) =>
    defer(() => {
      const limits = new EventLimits()
      const counts = new Map<string, number>()
      let pending = 0
      return events$.pipe(
        // Ten thousand problems at once are nearly all dropped: nothing is made for those.
        filter(() => pending < MAX_PENDING),
        map((event) => eventObject(event, component, now())),
        filter((event) => limits.admit(event, now().getTime())),
        tap(() => {
          pending++
        }),
        mergeMap(
          (event) =>
            recordEvent(event, client, counts).pipe(
              catchError((error: unknown) => {
                const { status, reason, message } = asApiFailure(error)
                log.warn?.('an event cannot be recorded', { status, reason, error: message })
                return EMPTY
              }),
              finalize(() => {
                pending--
              }),
            ),
          CONCURRENCY,
        ),
        ignoreElements(),
      )
    })

/**
 * Creates an event. One that is there already, of this or another replica, gets the time of this one, and a count where the
 * one before is known: events are not read.
 */
const recordEvent = (
  event: EventObject,
  client: ApiClient,
  counts: Map<string, number>,
): Observable<unknown> => {
  const { metadata, lastTimestamp } = event
  const { namespace, name } = metadata
  const id = `${namespace}/${name}`
  const known = counts.get(id)
  return client.request({ method: 'POST', path: collectionPath(events, namespace), body: event }).pipe(
    catchError((error: unknown) =>
      asApiFailure(error).isConflict
        ? client.request({
            method: 'PATCH',
            path: objectPath(events, { namespace, name }),
            contentType: 'application/merge-patch+json',
            body: { lastTimestamp, ...(known === undefined ? {} : { count: known + 1 }) },
          })
        : throwError(() => error),
    ),
    retry({
      count: RETRIES,
      delay: (error: unknown) =>
        asApiFailure(error).status === 0 ? timer(RETRY_MS) : throwError(() => error),
    }),
    tap((recorded) => {
      const { count } = recorded as { readonly count?: unknown }
      counts.delete(id)
      counts.set(id, typeof count === 'number' ? count : 1)
      const [oldest] = counts.keys()
      if (counts.size > MAX_OBJECTS && oldest !== undefined) counts.delete(oldest)
    }),
  )
}

const events = { group: '', version: 'v1', plural: 'events' }

type EventObject = ReturnType<typeof eventObject>

const eventObject = ({ object, type, reason, message: full }: ObjectEvent, component: string, now: Date) => {
  const { apiVersion, kind, metadata } = object
  const { name, uid, resourceVersion } = metadata
  const namespace = metadata.namespace ?? 'default'
  const message = truncate(full, MAX_MESSAGE_BYTES)
  const id = createHash('sha256')
    .update(JSON.stringify([kind, uid, type, reason, message]))
    .digest('hex')
  const time = kubernetesTime(now)
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name.slice(0, 200).replace(/[.-]+$/, '')}.${id.slice(0, ID_LENGTH)}`, namespace },
    involvedObject: { apiVersion, kind, name, namespace: metadata.namespace, uid, resourceVersion },
    type,
    reason,
    message,
    source: { component },
    reportingComponent: component,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  }
}

/** The beginning of a text, of whole characters. */
const truncate = (text: string, bytes: number): string => {
  if (Buffer.byteLength(text) <= bytes) return text
  const { written, read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes - 3))
  return written === 0 ? '' : `${text.slice(0, read)}…`
}

const MAX_OBJECTS = 1_000
const MAX_MESSAGE_BYTES = 1_024
const CONCURRENCY = 2
const RETRIES = 2
const RETRY_MS = 1_000
/** Waiting for the API server. */
const MAX_PENDING = 100
/** Of the hash in names. */
const ID_LENGTH = 16
