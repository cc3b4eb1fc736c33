import { concatMap, type OperatorFunction } from 'rxjs'
import type { Kind } from './kinds/kinds.ts'
import type { KubernetesObject } from './kinds/object.ts'
import type { ObjectEvent } from './sinks/record-events.ts'
import { conditionMessage } from './sinks/status/condition-message.ts'
import type { CurrentStatus, DesiredStatus } from './sinks/status/object-status.ts'
import type { ObjectFeed } from './streams/object-feed.ts'
import type { DesiredState } from './translate/desired-state.ts'

/** What finding events needs. */
export interface ProblemEventOptions {
  readonly feed: Pick<ObjectFeed, 'current'>
  readonly controllerName: string
}

/**
 * An event of each object of ours that becomes invalid, in part or as a whole, or refers to what is not there; of each
 * Gateway and GatewayClass whose parameters cannot be used, and of the ProxyParameters; and of each object of any kind that
 * cannot be translated. What an object has in its status already is no news, be it of a control plane before this one.
 */
export const problemEvents =
  ({ feed, controllerName }: ProblemEventOptions): OperatorFunction<DesiredState, ObjectEvent> =>
  (states$) => {
    let before = new Map<string, object>()
    let failedBefore = new Map<string, unknown>()
    return states$.pipe(
      concatMap(({ statuses, failures }): readonly ObjectEvent[] => {
        const watched = statuses.filter(({ kind }) => kind in problemKinds)
        const changed = watched.filter(({ kind, key, status }) => before.get(`${kind}/${key}`) !== status)
        before = new Map(watched.map(({ kind, key, status }) => [`${kind}/${key}`, status]))
        const failed = new Map(failures.map(({ kind, key, error }) => [`${kind}/${key}`, error]))
        const newlyFailed = failures.filter(
          ({ kind, key, error }) => failedBefore.get(`${kind}/${key}`) !== error,
        )
        failedBefore = failed
        return [
          ...changed.flatMap(({ kind, key, status }) => {
            const object = feed.current(kind, key)
            return object ? eventsOf(kind, object, status as DesiredStatus, { feed, controllerName }) : []
          }),
          ...newlyFailed.flatMap(({ kind, key }) => {
            const object = feed.current(kind, key)
            return object ? [{ object, type: 'Warning' as const, ...untranslated }] : []
          }),
        ]
      }),
    )
  }

/** The reasons that are told of a kind; undefined for all. */
const problemKinds: Readonly<Record<string, readonly string[] | undefined>> = {
  ProxyPolicy: undefined,
  ProxyBackend: undefined,
  ProxyModel: undefined,
  Gateway: ['InvalidParameters'],
  GatewayClass: ['InvalidParameters'],
}

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
  const told = new Set(problemsOf(status, controllerName).map(({ id }) => id))
  const reasons = problemKinds[kind]
  const news = problemsOf(desired, controllerName).filter(
    ({ id, reason }) => !told.has(id) && (reasons?.includes(reason) ?? true),
  )
  if (news.length === 0) return []
  const parameters = reasons && parametersOf(object, feed)
  return [object, ...(parameters ? [parameters] : [])].flatMap((one) =>
    news.map(({ reason, message }) => ({ object: one, type: 'Warning' as const, reason, message })),
  )
}

interface Problem {
  readonly id: string
  readonly reason: string
  readonly message: string
}

/** Each once, however many Gateways have it. */
const problemsOf = (status: DesiredStatus | CurrentStatus, controllerName: string): readonly Problem[] => {
  const entries = [...(status.ancestors ?? []), ...(status.parents ?? [])].filter(
    (entry) => (entry as { readonly controllerName?: string }).controllerName === controllerName,
  )
  const lists = [status.conditions ?? [], ...entries.map(({ conditions = [] }) => conditions)]
  const problems = lists.flatMap((conditions) => {
    const isInvalid = conditions.some(({ type, status: is }) => type === 'Accepted' && is === 'False')
    return (
      conditions
        .filter(({ status: is, reason }) => is === 'False' || reason === 'PartiallyValid')
        // What is invalid is attached to nothing.
        .filter(({ type }) => type !== 'Attached' || !isInvalid)
        .map(({ type, reason, message: text }) => {
          const message = conditionMessage(text)
          return { id: JSON.stringify([type, reason, message]), reason, message }
        })
    )
  })
  return [...new Map(problems.map((problem) => [problem.id, problem])).values()]
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
