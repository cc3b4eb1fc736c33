import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { objectKey } from '../../kinds/object.ts'
import { ownGatewayKeys } from '../gateway/own-gateway-keys.ts'
import { routeId } from '../route/route-id.ts'
import { servedRoutes } from '../route/served-routes.ts'
import { routeRules } from '../rule/route-rules.ts'
import { groupChildren, namespacesOf } from './group-children.ts'
import { isHttpRouteReference, parseRouteGroupName } from './route-group.ts'

/** The children at a Gateway, and groups that are too large. */
interface GatewayDelegation {
  /** The names of the groups of each child, sorted, by its id. */
  readonly children: Readonly<Record<string, readonly string[]>>
  /** The names of the groups that are left empty. */
  readonly tooLarge: readonly string[]
}

/**
 * Rules that the routes of one namespace may get from those of another one, or of their own, each counted for every group
 * that it is in. Routes that select each other multiply: without a limit, a hundred of a tenant could fill the memory of
 * all. Counted by pairs of namespaces, no tenant can use up what another one has.
 */
const MAX_DELEGATED_RULES = 10_000

/** The message about groups that are left empty. */
export const tooManyRules = (groups: readonly string[]): string =>
  `Route groups are empty, since routes of their namespace delegate to more than ${MAX_DELEGATED_RULES} rules of one namespace: ${groups.join(', ')}`

const gatewayDelegation: Query<GatewayDelegation> = defineQuery('gatewayDelegation', (reads, gateway) => {
  const delegating = new Set(reads.query(delegatingRoutes, ''))
  if (delegating.size === 0) return { children: {}, tooLarge: [] }
  const groupsOf = new Map<string, string[]>()
  const tooLarge: string[] = []
  const left = new Map<string, number>()
  // The list grows while it is followed. Each route is followed once: routes that delegate to each other end nothing.
  const followed = new Set(reads.query(servedRoutes, gateway).filter((route) => delegating.has(route)))
  for (const route of followed)
    for (const group of reads.tryQuery(groupsOfRules, route) ?? []) {
      const pair = namespacesOf(parseRouteGroupName(group))
      const before = left.get(pair) ?? MAX_DELEGATED_RULES
      const children = before > 0 ? reads.query(groupChildren, group) : []
      const after = before - rulesOf(reads, children)
      left.set(pair, Math.max(after, 0))
      if (before === 0 || after < 0) {
        tooLarge.push(group)
        continue
      }
      for (const child of children) {
        const id = routeId('HTTPRoute', child)
        const groups = groupsOf.get(id)
        if (groups) groups.push(group)
        else groupsOf.set(id, [group])
        if (delegating.has(id)) followed.add(id)
      }
    }
  const ids = [...groupsOf.keys()].sort()
  return { children: Object.fromEntries(ids.map((id) => [id, (groupsOf.get(id) ?? []).sort()])), tooLarge }
})

/** A group without children counts as one rule: to find that out costs something. */
const rulesOf = (reads: GraphReads, children: readonly string[]): number =>
  children.reduce((sum, child) => sum + reads.query(ruleCount, child), 0) || 1

/** Kept apart: most changes of a child leave the number of its rules. */
const ruleCount: Query<number> = defineQuery(
  'ruleCount',
  (reads, key) => reads.object('HTTPRoute', key)?.spec.rules?.length ?? 0,
)

/** The routes of a Gateway that are children of others: the names of their groups, sorted, by their ids. */
export const delegatedRoutes: Query<GatewayDelegation['children']> = defineQuery(
  'delegatedRoutes',
  (reads, gateway) => reads.query(gatewayDelegation, gateway).children,
)

/** The groups of a Gateway that have too many rules, with those before them, and are left empty. */
export const tooLargeGroups: Query<readonly string[]> = defineQuery(
  'tooLargeGroups',
  (reads, gateway) => reads.query(gatewayDelegation, gateway).tooLarge,
)

/** The same by the key of the route that delegates: every route asks for its own. */
export const tooLargeGroupsOf: Query<ReadonlyMap<string, readonly string[]>> = defineQuery(
  'tooLargeGroupsOf',
  (reads, gateway) =>
    Map.groupBy(reads.query(tooLargeGroups, gateway), (group) => parseRouteGroupName(group).source),
)

/** The ids of all routes of a Gateway, those that are children of others included. Key: that of the Gateway. */
export const reachedRoutes: Query<readonly string[]> = defineQuery('reachedRoutes', (reads, gateway) => {
  const served = reads.query(servedRoutes, gateway)
  const children = Object.keys(reads.query(delegatedRoutes, gateway))
  return children.length === 0 ? served : [...new Set([...served, ...children])]
})

/** Where a route is a child of others. */
export interface Delegation {
  /** The keys of the Gateways, sorted. */
  readonly gateways: readonly string[]
  /** The names of the groups, sorted. */
  readonly groups: readonly string[]
}

/** Where a route is a child of others, by its id. */
export const delegationOf: Query<Delegation | undefined> = defineQuery(
  'delegationOf',
  (reads, id) => reads.query(delegations, '')[id],
)

const delegations: Query<Readonly<Record<string, Delegation>>> = defineQuery('delegations', (reads) => {
  if (reads.query(delegatingRoutes, '').length === 0) return {}
  const found: Record<string, { readonly gateways: string[]; readonly groups: Set<string> }> = {}
  for (const gateway of reads.query(ownGatewayKeys, ''))
    for (const [id, names] of Object.entries(reads.tryQuery(delegatedRoutes, gateway) ?? {})) {
      const one = (found[id] ??= { gateways: [], groups: new Set() })
      one.gateways.push(gateway)
      for (const name of names) one.groups.add(name)
    }
  return Object.fromEntries(
    Object.entries(found).map(([id, { gateways, groups }]) => [
      id,
      { gateways: gateways.sort(), groups: [...groups].sort() },
    ]),
  )
})

/** The names of the groups that the rules of a route delegate to, by the id of the route. */
const groupsOfRules: Query<readonly string[]> = defineQuery('groupsOfRules', (reads, route) => [
  ...new Set(reads.query(routeRules, route).flatMap(({ groups }) => groups)),
])

/** The ids of the routes that delegate, sorted: mostly none, and then nothing else is looked at. */
const delegatingRoutes: Query<readonly string[]> = defineQuery('delegatingRoutes', (reads) =>
  reads.indexed(delegatesToRoutes, '').map((route) => routeId('HTTPRoute', objectKey(route))),
)

const delegatesToRoutes = defineIndex('HTTPRoute', 'delegates', ({ spec }) =>
  (spec.rules ?? []).some(({ backendRefs }) => (backendRefs ?? []).some(isHttpRouteReference)) ? [''] : [],
)
