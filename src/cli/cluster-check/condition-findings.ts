import type { ClusterFinding } from './cluster-finding.ts'
import type { ReadCondition } from './cluster-objects.ts'

/** What conditions are about. */
export type ConditionSubject = Pick<ClusterFinding, 'kind' | 'namespace' | 'name' | 'part'>

/** Types that should be true. */
const wanted = new Set([
  'Accepted',
  'Programmed',
  'ResolvedRefs',
  'Attached',
  'SupportedVersion',
  'agentgateway.dev/MeshIdentity',
])
/** Types that should not be. Unknown is worth a warning: it was too much to find out. */
const unwanted = new Set([
  'Conflicted',
  'PartiallyInvalid',
  'agentgateway.dev/Shadowed',
  'agentgateway.dev/Warning',
])
/** What does not make a check fail. */
const warnings = new Set(['SupportedVersion', 'agentgateway.dev/MeshIdentity', 'agentgateway.dev/Warning'])
/** Accepted, and nevertheless not as a whole. */
const partialReasons = new Set(['PartiallyValid', 'PartiallyInvalid'])

/** What is wrong with an object of which the controller has said nothing. */
export const notProcessed = (subject: ConditionSubject): ClusterFinding => ({
  ...subject,
  severity: 'error',
  reason: 'NotProcessed',
  message: 'it has no conditions: the controller does not run, or does not watch the namespace',
  isTransient: true,
})

/** What conditions say is wrong, each reason once. */
export const conditionFindings = (
  subject: ConditionSubject,
  conditions: readonly ReadCondition[],
  generation?: number,
): readonly ClusterFinding[] => {
  const wrong = conditions.filter(isWrong)
  // A Gateway that is not accepted is not programmed either: that says nothing new.
  const telling = wrong.filter(({ type, reason }) => type !== 'Programmed' || reason !== 'Invalid')
  const reported = telling.length > 0 ? telling : wrong
  const reasons = new Set<string>()
  const findings = reported.flatMap(({ type, status, reason, message }): readonly ClusterFinding[] => {
    if (reasons.has(reason)) return []
    reasons.add(reason)
    const text = message === '' ? `${type} is ${status}` : message
    const severity = warnings.has(type) || (status === 'Unknown' && unwanted.has(type)) ? 'warning' : 'error'
    return [
      {
        ...subject,
        severity,
        reason,
        message: text,
        ...(isPending(type, status, reason) && { isTransient: true }),
      },
    ]
  })
  const stale = conditions.find(
    ({ observedGeneration }) => (observedGeneration ?? Infinity) < (generation ?? 0),
  )
  if (!stale) return findings
  return [
    ...findings,
    {
      ...subject,
      severity: 'error',
      reason: 'StaleStatus',
      message: `the status is about generation ${String(stale.observedGeneration)}, and the object has generation ${String(generation)}: does the controller run?`,
      isTransient: true,
    },
  ]
}

const isWrong = ({ type, status, reason }: ReadCondition): boolean =>
  wanted.has(type)
    ? status !== 'True' || partialReasons.has(reason)
    : unwanted.has(type) && status !== 'False'

/** The controller, the load balancer or the deployment is still at it, or hangs. What it cannot tell stays so. */
const isPending = (type: string, status: string, reason: string): boolean =>
  (status === 'Unknown' && wanted.has(type)) ||
  reason === 'AddressNotAssigned' ||
  reason === 'DeploymentFailed'
