import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { ParentReference } from '../../kinds/http-route.ts'
import { namespacedKey } from '../../kinds/object.ts'
import { attempt } from '../attempt.ts'
import { routeCandidates, type RouteDenial } from '../route/route-candidates.ts'
import { routeId } from '../route/route-id.ts'
import { delegationOf } from './delegated-routes.ts'
import { isHttpRouteReference, parseRouteGroupName } from './route-group.ts'

/** What became of a parentRef that names an HTTPRoute. */
export interface DelegationVerdict {
  /** Position among the parentRefs. */
  readonly index: number
  readonly denial: RouteDenial | undefined
  /** The keys of the Gateways where it is a child, and the names of its groups of this parent. */
  readonly gateways: readonly string[]
  readonly groups: readonly string[]
}

/**
 * The parents of a route that are HTTPRoutes of ours: those that name a Gateway of ours, or are children of such a route.
 * Key: that of the HTTPRoute.
 */
export const delegationVerdicts: Query<readonly DelegationVerdict[]> = defineQuery(
  'delegationVerdicts',
  (reads, key) => {
    const route = reads.object('HTTPRoute', key)
    return (route?.spec.parentRefs ?? []).flatMap((reference, index): readonly DelegationVerdict[] => {
      const parent = attempt(() => namedRoute(reference, route?.metadata.namespace)).value
      if (parent === undefined || !isOurs(reads, parent)) return []
      const { groups = [], gateways = [] } = reads.query(delegationOf, routeId('HTTPRoute', key)) ?? {}
      const missing = missingSection(reads, reference, parent)
      const own = missing ? [] : groups.filter((group) => isGroupOf(group, parent, reference))
      const denial = own.length > 0 ? undefined : (missing ?? notDelegated)
      return [{ index, denial, gateways, groups: own }]
    })
  },
)

const namedRoute = (reference: ParentReference, routeNamespace: string | undefined): string | undefined =>
  isHttpRouteReference(reference)
    ? namespacedKey(reference.namespace ?? routeNamespace, reference.name)
    : undefined

const isOurs = (reads: GraphReads, route: string): boolean => {
  const id = routeId('HTTPRoute', route)
  return (reads.tryQuery(routeCandidates, id) ?? []).length > 0 || reads.query(delegationOf, id) !== undefined
}

const isGroupOf = (group: string, parent: string, { sectionName = '' }: ParentReference): boolean => {
  const { source, rule } = parseRouteGroupName(group)
  return source === parent && (sectionName === '' || rule === sectionName)
}

/** Sections of a route are its rules; ports it has none. */
const missingSection = (
  reads: GraphReads,
  { sectionName = '', port }: ParentReference,
  parent: string,
): RouteDenial | undefined => {
  if (port !== undefined) return { reason: 'NoMatchingParent', message: 'Parent HTTPRoute has no ports' }
  const rules = reads.object('HTTPRoute', parent)?.spec.rules ?? []
  return sectionName === '' || rules.some(({ name }) => name === sectionName)
    ? undefined
    : { reason: 'NoMatchingParent', message: `Parent HTTPRoute has no rule with name "${sectionName}"` }
}

const notDelegated: RouteDenial = {
  reason: 'NoMatchingParent',
  message: 'Parent HTTPRoute does not delegate to this route',
}
