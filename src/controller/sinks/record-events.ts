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
  tap,
  throwError,
} from 'rxjs'
import type { ModuleLog } from '../../model/log/module-log.ts'
import type { ApiClient } from '../api/api-client.ts'
import { asApiFailure } from '../api/api-failure.ts'
import { collectionPath, objectPath } from '../api/resource-path.ts'
import type { KubernetesObject } from '../kinds/object.ts'

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
 * name, so that several replicas record one; it is recorded again after ten minutes. An object gets ten events at once and
 * then one a minute; more are dropped, and so are those that the API server refuses, or is too slow for.
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
      let pending = 0
      return events$.pipe(
        map((event) => eventObject(event, component, now())),
        filter((event) => pending < MAX_PENDING && limits.admit(event, now().getTime())),
        tap(() => {
          pending++
        }),
        mergeMap(
          (event) =>
            recordEvent(event, client).pipe(
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

/** Creates an event. One that is there already, of this or another replica, gets the time of this one. */
const recordEvent = (event: EventObject, client: ApiClient): Observable<unknown> => {
  const { metadata, lastTimestamp } = event
  const { namespace, name } = metadata
  return client.request({ method: 'POST', path: collectionPath(events, namespace), body: event }).pipe(
    catchError((error: unknown) =>
      asApiFailure(error).isConflict
        ? client.request({
            method: 'PATCH',
            path: objectPath(events, { namespace, name }),
            contentType: 'application/merge-patch+json',
            body: { lastTimestamp },
          })
        : throwError(() => error),
    ),
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
  const time = now.toISOString().replace(/\.\d+Z$/, 'Z')
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

/** How many more events each object may have. */
class EventLimits {
  /** The oldest first. */
  readonly #objects = new Map<string, ObjectBudget>()

  admit({ metadata, involvedObject }: EventObject, now: number): boolean {
    const { kind, namespace = '', name } = involvedObject
    const key = `${kind}/${namespace}/${name}`
    const before = this.#objects.get(key) ?? { tokens: BURST, at: now, recent: new Map<string, number>() }
    const tokens = Math.min(BURST, before.tokens + Math.max(0, now - before.at) / REFILL_MS)
    const recent = new Map([...before.recent].filter(([, at]) => now - at < REPEAT_MS))
    const isAdmitted = tokens >= 1 && !recent.has(metadata.name)
    if (isAdmitted) recent.set(metadata.name, now)
    this.#objects.delete(key)
    this.#objects.set(key, { tokens: isAdmitted ? tokens - 1 : tokens, at: now, recent })
    const [oldest] = this.#objects.keys()
    if (this.#objects.size > MAX_OBJECTS && oldest !== undefined) this.#objects.delete(oldest)
    return isAdmitted
  }
}

interface ObjectBudget {
  readonly tokens: number
  readonly at: number
  /** When events were recorded, by their names. */
  readonly recent: ReadonlyMap<string, number>
}

/** The beginning of a text, of whole characters. */
const truncate = (text: string, bytes: number): string => {
  if (Buffer.byteLength(text) <= bytes) return text
  const { written, read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes - 3))
  return written === 0 ? '' : `${text.slice(0, read)}…`
}

const BURST = 10
const REFILL_MS = 60_000
const REPEAT_MS = 600_000
const MAX_OBJECTS = 1_000
const MAX_MESSAGE_BYTES = 1_024
const CONCURRENCY = 2
/** Waiting for the API server. */
const MAX_PENDING = 100
/** Of the hash in names. */
const ID_LENGTH = 16
