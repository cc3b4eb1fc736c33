import { conditionFindings, notProcessed } from './condition-findings.ts'
import type { CheckScope } from './check-scope.ts'
import type { ClusterFinding } from './cluster-finding.ts'
import type { ClusterObject } from './cluster-objects.ts'

/** What is wrong with classes, Gateways and their listeners, and ListenerSets. */
export const gatewayFindings = ({
  classes,
  controllerName,
  gateways,
  strays,
  listenerSets,
}: CheckScope): readonly ClusterFinding[] => [
  ...classFindings(classes, controllerName),
  ...strays.map(({ metadata: { namespace, name }, spec }): ClusterFinding => ({
    severity: 'error',
    kind: 'Gateway',
    ...(namespace !== undefined && { namespace }),
    name,
    reason: 'ClassNotFound',
    message: `there is no GatewayClass ${spec?.gatewayClassName ?? ''}`,
  })),
  ...gateways.flatMap((gateway) => ofObjectWithListeners('Gateway', gateway)),
  ...listenerSets.flatMap((set) => ofObjectWithListeners('ListenerSet', set)),
]

const classFindings = (classes: CheckScope['classes'], controllerName: string): readonly ClusterFinding[] => {
  if (!classes) return []
  const ours = [...classes.values()].filter(({ spec }) => spec?.controllerName === controllerName)
  if (ours.length === 0)
    return [
      {
        severity: 'error',
        kind: 'GatewayClass',
        name: '*',
        reason: 'NoClass',
        message: `no class names the controller ${controllerName}: is it installed, and does it run?`,
      },
    ]
  return ours.flatMap(({ metadata: { name, generation }, status }) =>
    conditionFindings({ kind: 'GatewayClass', name }, status?.conditions ?? [], generation),
  )
}

const ofObjectWithListeners = (
  kind: string,
  { metadata: { namespace, name, generation }, status }: ClusterObject,
): readonly ClusterFinding[] => {
  const subject = { kind, ...(namespace !== undefined && { namespace }), name }
  const ofListeners = (status?.listeners ?? []).flatMap((listener) =>
    conditionFindings(
      { ...subject, part: `listener ${listener.name}` },
      listener.conditions ?? [],
      generation,
    ),
  )
  const conditions = status?.conditions ?? []
  if (conditions.length === 0) return [notProcessed(subject)]
  const ofObject = conditionFindings(subject, conditions, generation)
  // A stale status is stale as a whole, and that listeners are wrong is said by the listeners.
  const isStale = ofObject.some(({ reason }) => reason === 'StaleStatus')
  return [
    ...ofObject.filter(({ reason }) => ofListeners.length === 0 || !reason.startsWith('Listeners')),
    ...ofListeners.filter(({ reason }) => !isStale || reason !== 'StaleStatus'),
  ]
}
