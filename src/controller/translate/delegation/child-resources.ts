import { routeGroupParent, type XdsResource, xdsResource } from '../../../config/xds/xds-resource.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { ruleKey } from '../route/route-resources.ts'
import { routeRules } from '../rule/route-rules.ts'
import { delegatedRoutes } from './delegated-routes.ts'
import { routeGroupSuffix } from './route-group.ts'

/**
 * The rules of a route in the groups of a Gateway; key: that of `routeAtGateway`. A rule with a problem is in none: what
 * it would serve is what its parent has no child for.
 */
export const childResources: Query<readonly XdsResource[]> = defineQuery('childResources', (reads, key) => {
  const [, route = ''] = key.split(' ')
  const parentsOf = new Map<string, string[]>()
  for (const group of reads.query(groupsAtGateway, key)) {
    const suffix = routeGroupSuffix(group)
    // Names of routes and labels have dots in them: two groups may have one suffix.
    parentsOf.set(suffix, [...(parentsOf.get(suffix) ?? []), routeGroupParent(group)])
  }
  return reads
    .query(routeRules, route)
    .flatMap(({ index, resource, problems }) =>
      resource?.kind === 'route' && problems.length === 0
        ? [...parentsOf].map(([suffix, parents]) =>
            xdsResource('route', `${ruleKey(route, index)}${suffix}`, resource.model, parents),
          )
        : [],
    )
})

/** Kept apart, so that a change of one child makes no resources of the others. */
const groupsAtGateway: Query<readonly string[]> = defineQuery('groupsAtGateway', (reads, key) => {
  const [gateway = '', route = ''] = key.split(' ')
  return reads.query(delegatedRoutes, gateway)[route] ?? []
})
