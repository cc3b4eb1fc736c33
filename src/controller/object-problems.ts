import { conditionMessage } from './sinks/status/condition-message.ts'
import type { CurrentStatus, DesiredStatus } from './sinks/status/object-status.ts'

/** What a status says is wrong with an object, as an Event would. */
export interface ObjectProblem {
  /** Equal for what is equal to a reader. */
  readonly id: string
  readonly reason: string
  readonly message: string
}

/** Whether problems in the statuses of a kind are reported. */
export const hasObjectProblems = (kind: string): boolean => kind in problemKinds

/**
 * The problems of a status that are reported, each once, however many Gateways have it: what is wrong with our own
 * kinds or hardly meant, parameters that cannot be used, and references that lead nowhere. Entries of other controllers are left out:
 * those controllers report them.
 */
export const objectProblems = (
  kind: string,
  status: DesiredStatus | CurrentStatus,
  controllerName: string,
): readonly ObjectProblem[] => {
  const entries = [...(status.ancestors ?? []), ...(status.parents ?? [])].filter(
    (entry) => (entry as { readonly controllerName?: string }).controllerName === controllerName,
  )
  const lists: readonly ConditionList[] = [
    { conditions: status.conditions ?? [] },
    ...(status.listeners ?? []).map(({ name, conditions = [] }) => ({
      conditions,
      prefix: `Listener ${name}: `,
    })),
    ...entries.map(({ conditions = [] }) => ({ conditions })),
  ]
  const isReported = problemKinds[kind] ?? none
  const problems = lists.flatMap(({ conditions, prefix = '' }) => {
    const isInvalid = conditions.some(({ type, status: is }) => type === 'Accepted' && is === 'False')
    return (
      conditions
        .filter(
          ({ type, status: is, reason }) => is === 'False' || reason === 'PartiallyValid' || type === WARNING,
        )
        // What is invalid is attached to nothing.
        .filter(({ type }) => type !== 'Attached' || !isInvalid)
        .filter(isReported)
        .map(({ type, reason, message: text }) => {
          const message = conditionMessage(`${prefix}${text}`)
          return { id: JSON.stringify([type, reason, message]), reason, message }
        })
    )
  })
  return [...new Map(problems.map((problem) => [problem.id, problem])).values()]
}

type ReadCondition = NonNullable<DesiredStatus['conditions']>[number]

interface ConditionList {
  readonly conditions: readonly ReadCondition[]
  readonly prefix?: string
}

type IsReported = (condition: Pick<ReadCondition, 'type' | 'reason'>) => boolean

const WARNING = 'agentgateway.dev/Warning'

const all: IsReported = () => true
const none: IsReported = () => false
const references: IsReported = ({ type }) => type === 'ResolvedRefs'
/** Most conditions of routes about hosts, listeners and rules are for their statuses alone. */
const ofRoutes: IsReported = (condition) => references(condition) || condition.reason === 'TooManyRules'
const oneOf =
  (...reasons: readonly string[]): IsReported =>
  ({ reason }) =>
    reasons.includes(reason)

const ofListeners = [
  'InvalidCertificateRef',
  'InvalidCACertificateRef',
  'InvalidCACertificateKind',
  'RefNotPermitted',
]

const problemKinds: Readonly<Record<string, IsReported>> = {
  ProxyPolicy: all,
  ProxyBackend: all,
  ProxyModel: all,
  Gateway: oneOf('InvalidParameters', 'InvalidClientCertificateRef', ...ofListeners),
  GatewayClass: oneOf('InvalidParameters'),
  ListenerSet: oneOf(...ofListeners),
  HTTPRoute: ofRoutes,
  GRPCRoute: ofRoutes,
  TLSRoute: ofRoutes,
  TCPRoute: ofRoutes,
  UDPRoute: ofRoutes,
  BackendTLSPolicy: oneOf('TargetNotFound', 'InvalidCACertificateRef', 'InvalidKind'),
  InferencePool: references,
}
