import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { objectKey } from '../../kinds/object.ts'
import { ownGatewayKeys } from '../gateway/own-gateway-keys.ts'
import { routeId } from '../route/route-id.ts'
import { servedRoutes } from '../route/route-resources.ts'
import { routeRules } from '../rule/route-rules.ts'
import { groupChildren } from './group-children.ts'
import { isHttpRouteReference } from './route-group.ts'

/**
 * The routes of a Gateway that are children of others: the names of their groups, sorted, by their ids. A child may
 * delegate as well; each route is followed once, so that routes that delegate to each other end nothing. Key: that of the
 * Gateway.
 */
export const delegatedRoutes: Query<Readonly<Record<string, readonly string[]>>> = defineQuery(
  'delegatedRoutes',
  (reads, gateway) => {
    const delegating = new Set(reads.query(delegatingRoutes, ''))
    if (delegating.size === 0) return {}
    const groupsOf = new Map<string, string[]>()
    const pending = reads.query(servedRoutes, gateway).filter((route) => delegating.has(route))
    const followed = new Set(pending)
    for (let route = pending.pop(); route !== undefined; route = pending.pop())
      for (const group of reads.tryQuery(groupsOfRules, route) ?? [])
        for (const child of reads.query(groupChildren, group)) {
          const id = routeId('HTTPRoute', child)
          groupsOf.set(id, [...(groupsOf.get(id) ?? []), group])
          if (!delegating.has(id) || followed.has(id)) continue
          followed.add(id)
          pending.push(id)
        }
    const ids = [...groupsOf.keys()].sort()
    return Object.fromEntries(ids.map((id) => [id, (groupsOf.get(id) ?? []).sort()]))
  },
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
