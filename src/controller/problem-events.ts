import { concat, concatMap, map, type Observable, of, type OperatorFunction, range, timer } from 'rxjs'
import type { Kind } from './kinds/kinds.ts'
import type { KubernetesObject } from './kinds/object.ts'
import { hasObjectProblems, objectProblems } from './object-problems.ts'
import type { ObjectEvent } from './sinks/record-events.ts'
import type { CurrentStatus, DesiredStatus } from './sinks/status/object-status.ts'
import type { ObjectFeed } from './streams/object-feed.ts'
import type { DesiredState } from './translate/desired-state.ts'

/** What finding events needs. */
export interface ProblemEventOptions {
  readonly feed: Pick<ObjectFeed, 'current'>
  readonly controllerName: string
}

/**
 * An event of each object of ours that becomes invalid, in part or as a whole; of each object that refers to what is not
 * there, or may not be referred to; of each Gateway and GatewayClass whose parameters cannot be used, and of the
 * ProxyParameters; and of each object of any kind that cannot be translated. A problem that the status of the object
 * shows already has had its event, perhaps of a control plane before this one.
 */
export const problemEvents =
  ({ feed, controllerName }: ProblemEventOptions): OperatorFunction<DesiredState, ObjectEvent> =>
  (states$) => {
    // Statuses that did not change are the same objects. There may be very many, and states follow each other quickly.
    const seen = new WeakSet<object>()
    let failedBefore = new Map<string, unknown>()
    return states$.pipe(
      concatMap(({ statuses, failures }) => {
        const changed = statuses.filter(({ kind, status }) => hasObjectProblems(kind) && !seen.has(status))
        for (const { status } of changed) seen.add(status)
        const failed = new Map(failures.map(({ kind, key, error }) => [`${kind}/${key}`, error]))
        const newlyFailed = failures.filter(
          ({ kind, key, error }) => failedBefore.get(`${kind}/${key}`) !== error,
        )
        failedBefore = failed
        return concat(
          inTurns(changed).pipe(
            concatMap(({ kind, key, status }): readonly ObjectEvent[] => {
              const object = feed.current(kind, key)
              return object ? eventsOf(kind, object, status as DesiredStatus, { feed, controllerName }) : []
            }),
          ),
          newlyFailed.flatMap(({ kind, key }) => {
            const object = feed.current(kind, key)
            return object ? [{ object, type: 'Warning' as const, ...untranslated }] : []
          }),
        )
      }),
    )
  }

/** The first of them at once, and so many in each later turn of the event loop: there may be ten thousand at the start. */
const inTurns = <T>(all: readonly T[]): Observable<T> =>
  range(0, Math.ceil(all.length / PER_TURN)).pipe(
    concatMap((turn) => (turn === 0 ? of(turn) : timer(0).pipe(map(() => turn)))),
    concatMap((turn) => all.slice(turn * PER_TURN, (turn + 1) * PER_TURN)),
  )

const PER_TURN = 1_000

const untranslated = {
  reason: 'TranslationFailed',
  message: 'The object cannot be translated: the log of the control plane has the error',
}

const eventsOf = (
  kind: Kind,
  object: KubernetesObject,
  desired: DesiredStatus,
  { feed, controllerName }: ProblemEventOptions,
): readonly ObjectEvent[] => {
  const { status = {} } = object as KubernetesObject & { readonly status?: CurrentStatus }
  const known = new Set(objectProblems(kind, status, controllerName).map(({ id }) => id))
  const added = objectProblems(kind, desired, controllerName).filter(({ id }) => !known.has(id))
  return added.flatMap(({ reason, message }) => {
    const parameters = reason === 'InvalidParameters' ? parametersOf(object, feed) : undefined
    return [object, ...(parameters ? [parameters] : [])].map((one) => ({
      object: one,
      type: 'Warning' as const,
      reason,
      message,
    }))
  })
}

/** The ProxyParameters that a Gateway has, or its class, or a class. */
const parametersOf = (
  object: KubernetesObject,
  feed: ProblemEventOptions['feed'],
): KubernetesObject | undefined => {
  const { metadata, spec } = object as KubernetesObject & { readonly spec: ParametersHolder }
  const own = spec.infrastructure?.parametersRef
  if (own) return ofReference(feed, own, metadata.namespace)
  const { parametersRef } = spec.gatewayClassName
    ? (feed.current('GatewayClass', spec.gatewayClassName)?.spec ?? {})
    : spec
  return parametersRef && ofReference(feed, parametersRef, parametersRef.namespace)
}

interface ParametersReference {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

interface ParametersHolder {
  readonly gatewayClassName?: string
  readonly infrastructure?: { readonly parametersRef?: ParametersReference }
  readonly parametersRef?: ParametersReference
}

const ofReference = (
  feed: ProblemEventOptions['feed'],
  { kind, name }: ParametersReference,
  namespace: string | undefined,
): KubernetesObject | undefined =>
  kind === 'ProxyParameters' && namespace !== undefined
    ? feed.current('ProxyParameters', `${namespace}/${name}`)
    : undefined
