import { type XdsResource, xdsResource } from '../../../config/xds/xds-resource.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { rulesLostToModels } from '../model/root-conflicts.ts'
import type { RuleResource } from '../rule/converted-rule.ts'
import { routeRules } from '../rule/route-rules.ts'
import { routeParents } from './route-parents.ts'

/** The rules of a route at one Gateway; key: that of `routeAtGateway`. */
export const routeResources: Query<readonly XdsResource[]> = defineQuery('routeResources', (reads, key) => {
  const [gateway = '', route = ''] = key.split(' ')
  const parents = reads.query(routeParents, route).filter((parent) => parent.gateway === gateway)
  const accepting = parents.flatMap(({ listeners }) => listeners).filter(({ isServed }) => isServed)
  if (accepting.length === 0) return []
  const listeners = [...new Set(accepting.map((one) => one.key))]
  const lost = Map.groupBy(rulesLostToModels(reads, gateway, route), ({ index }) => index)
  return reads.query(routeRules, route).flatMap(({ index, resource }) => {
    const lostAt = new Set(lost.get(index)?.map(({ listenerKey }) => listenerKey))
    const own = listeners.filter((listener) => !lostAt.has(listener))
    return resource && own.length > 0 ? [ruleResource(resource, ruleKey(route, index), own)] : []
  })
})

/** The key of a rule of a route, given by its id. */
export const ruleKey = (route: string, rule: number): string => `${route}/${String(rule).padStart(2, '0')}`

const ruleResource = (resource: RuleResource, key: string, listeners: readonly string[]): XdsResource => {
  switch (resource.kind) {
    case 'route':
      return xdsResource('route', key, resource.model, listeners)
    case 'tcpRoute':
      return xdsResource('tcpRoute', key, resource.model, listeners)
    case 'udpRoute':
      return xdsResource('udpRoute', key, resource.model, listeners)
  }
}
