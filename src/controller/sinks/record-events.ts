import { catchError, EMPTY, filter, ignoreElements, mergeMap, type OperatorFunction } from 'rxjs'
import type { ModuleLog } from '../../model/log/module-log.ts'
import type { ApiClient } from '../api/api-client.ts'
import { asApiFailure } from '../api/api-failure.ts'
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
 * Records Kubernetes Events. The same event of an object is recorded once in ten minutes, and an object gets ten at once
 * and then one a minute; more are dropped, and so are those that the API server refuses.
 */
export const recordEvents =
  ({
    client,
    component,
    log,
    now = () => new Date(),
  }: EventRecorderOptions): OperatorFunction<ObjectEvent, never> =>
  (events$) => {
    const limits = new EventLimits()
    return events$.pipe(
      filter((event) => limits.admit(event, now().getTime())),
      mergeMap((event) => {
        const { namespace = 'default' } = event.object.metadata
        const request = {
          method: 'POST' as const,
          path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`,
          body: eventObject(event, namespace, component, now()),
        }
        return client.request(request).pipe(
          catchError((error: unknown) => {
            const { status, reason, message } = asApiFailure(error)
            log.warn?.('an event cannot be recorded', { status, reason, error: message })
            return EMPTY
          }),
        )
      }, CONCURRENCY),
      ignoreElements(),
    )
  }

const eventObject = (
  { object, type, reason, message }: ObjectEvent,
  namespace: string,
  component: string,
  now: Date,
): unknown => {
  const { apiVersion, kind, metadata } = object
  const { name, uid, resourceVersion } = metadata
  const time = now.toISOString().replace(/\.\d+Z$/, 'Z')
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { generateName: `${name.slice(0, 200)}.`, namespace },
    involvedObject: { apiVersion, kind, name, namespace: metadata.namespace, uid, resourceVersion },
    type,
    reason,
    message: truncate(message, MAX_MESSAGE_BYTES),
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

  admit({ object, reason, message }: ObjectEvent, now: number): boolean {
    const { kind, metadata } = object
    const key = `${kind}/${metadata.namespace ?? ''}/${metadata.name}`
    const before = this.#objects.get(key) ?? { tokens: BURST, at: now, recent: new Map<string, number>() }
    const tokens = Math.min(BURST, before.tokens + (now - before.at) / REFILL_MS)
    const text = `${reason}: ${message}`
    const recent = new Map([...before.recent].filter(([, at]) => now - at < REPEAT_MS))
    const isAdmitted = tokens >= 1 && !recent.has(text)
    if (isAdmitted) recent.set(text, now)
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
