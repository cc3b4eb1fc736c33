import { conditionFindings } from './condition-findings.ts'
import { type CheckScope, type Parent, parentOf } from './check-scope.ts'
import type { ClusterFinding } from './cluster-finding.ts'
import type { ClusterObject, Reference, ReferenceStatus } from './cluster-objects.ts'

/**
 * What is wrong with a route, or with a model, which names its parents as routes do: it is not attached to a parent, a
 * backend leads nowhere, rules cannot be served, or another route has the same match.
 */
export const routeFindings = async (
  scope: CheckScope,
  kind: string,
  route: ClusterObject,
): Promise<readonly ClusterFinding[]> => {
  const { namespace = '', name } = route.metadata
  const findings: ClusterFinding[] = []
  for (const reference of route.spec?.parentRefs ?? []) {
    const { group = gatewayGroup, kind: parentKind = 'Gateway' } = reference
    if (group !== gatewayGroup || !parentKinds(kind).includes(parentKind)) continue
    const parent = parentOf(reference, namespace)
    const subject = { kind, namespace, name, part: parentText(parent, reference) }
    const entries = (route.status?.parents ?? []).filter(
      (one) => one.parentRef !== undefined && isSame(one.parentRef, reference, namespace),
    )
    const entry = entries.find((one) => one.controllerName === scope.controllerName)
    // Without classes, what another controller has looked at is taken for its own.
    if (!entry && !scope.classes && entries.length > 0) continue
    findings.push(...(entry ? ofEntry(subject, entry, route) : await withoutEntry(scope, subject, parent)))
  }
  return findings
}

/** Routes that name no parent may be children of others, or of none: nothing is wrong with them. */
const parentKinds = (kind: string): readonly string[] => [
  'Gateway',
  'ListenerSet',
  ...(kind === 'HTTPRoute' || kind === 'ProxyModel' ? ['HTTPRoute'] : []),
]

const gatewayGroup = 'gateway.networking.k8s.io'

type RouteSubject = Pick<ClusterFinding, 'kind' | 'namespace' | 'name' | 'part'>

const ofEntry = (
  subject: RouteSubject,
  { conditions = [] }: ReferenceStatus,
  { metadata: { generation } }: ClusterObject,
): readonly ClusterFinding[] => conditionFindings(subject, conditions, generation)

/** A parent that is not there, or a controller that does nothing about the route. */
const withoutEntry = async (
  { isOurs }: CheckScope,
  subject: RouteSubject,
  parent: Parent,
): Promise<readonly ClusterFinding[]> => {
  const ours = await isOurs(parent)
  if (ours === undefined)
    return [
      {
        ...subject,
        severity: 'error',
        reason: 'ParentNotFound',
        message: `there is no ${parent.kind} ${parent.namespace}/${parent.name}`,
        isTransient: true,
      },
    ]
  if (!ours) return []
  return [
    {
      ...subject,
      severity: 'error',
      reason: 'NotProcessed',
      message: `the controller has written no status: it does not run, does not watch the namespace, or does not support ${subject.kind}s`,
      isTransient: true,
    },
  ]
}

/** `Gateway shop/web, listener http`. */
const parentText = ({ kind, namespace, name }: Parent, { sectionName, port }: Reference): string =>
  [
    `${kind} ${namespace}/${name}`,
    ...(sectionName === undefined ? [] : [`${kind === 'HTTPRoute' ? 'rule' : 'listener'} ${sectionName}`]),
    ...(port === undefined ? [] : [`port ${String(port)}`]),
  ].join(', ')

const isSame = (a: Reference, b: Reference, namespace: string): boolean =>
  normal(a, namespace) === normal(b, namespace)

const normal = (
  { group = gatewayGroup, kind = 'Gateway', namespace, name, sectionName, port }: Reference,
  own: string,
): string => JSON.stringify([group, kind, namespace ?? own, name, sectionName, port])
