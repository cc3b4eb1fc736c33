import { conditionFindings } from './condition-findings.ts'
import type { ClusterFinding } from './cluster-finding.ts'
import type { ClusterObject, Reference } from './cluster-objects.ts'

/**
 * What is wrong with a policy: its status has an entry for each Gateway that it has an effect on, and no entry means no
 * effect. Statuses are read generically, whatever the kind.
 */
export const policyFindings = (
  controllerName: string,
  kind: string,
  { metadata: { namespace = '', name, generation }, spec, status }: ClusterObject,
): readonly ClusterFinding[] => {
  const subject = { kind, namespace, name }
  const ancestors = status?.ancestors ?? []
  const ours = ancestors.filter((one) => one.controllerName === controllerName)
  // Another controller may have use for it.
  if (ours.length === 0 && ancestors.length > 0) return []
  if (ours.length === 0)
    return [
      {
        ...subject,
        severity: 'error',
        reason: 'NotAttached',
        message: `it has no effect: no Gateway is or uses ${targetsText(spec?.targetRefs ?? [])}`,
        isTransient: true,
      },
    ]
  return ours.flatMap(({ ancestorRef, conditions = [] }) =>
    conditionFindings(
      {
        ...subject,
        ...(ancestorRef && isObject(ancestorRef) && { part: ancestorText(ancestorRef, namespace) }),
      },
      conditions,
      generation,
    ),
  )
}

/** An entry of this name is about the policy as a whole. */
const isObject = ({ name }: Reference): boolean => name !== 'StatusSummary'

const ancestorText = ({ kind = 'Gateway', namespace, name, sectionName }: Reference, own: string): string =>
  `${kind} ${namespace ?? own}/${name}${sectionName === undefined ? '' : `, listener ${sectionName}`}`

const targetsText = (targets: readonly Reference[]): string =>
  targets.length === 0
    ? 'what it selects'
    : targets
        .map(
          ({ kind = '', name, sectionName }) =>
            `${kind} ${name}${sectionName === undefined ? '' : `/${sectionName}`}`,
        )
        .join(' or ')
