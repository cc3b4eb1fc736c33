import type { ResourceTree } from '../../config/xds/resource-tree.ts'
import { defineQuery, type GraphReads, type Query } from '../graph/query.ts'
import { poolTarget } from './backend-tls/service-tls-policies.ts'
import { serviceTlsResources, targetAtGateway } from './backend-tls/tls-policy-resources.ts'
import { childResources } from './delegation/child-resources.ts'
import { delegatedRoutes, reachedRoutes } from './delegation/delegated-routes.ts'
import { pickerService } from './inference/known-pool.ts'
import { poolPolicy, poolServices } from './inference/pool-resources.ts'
import { poolWorkloads } from './inference/pool-workloads.ts'
import { gatewayReach } from './policy/gateway-reach.ts'
import { policiesByTarget } from './policy/policy-targets.ts'
import { routeAtGateway } from './route/route-id.ts'
import { routeResources } from './route/route-resources.ts'
import { servedRoutes } from './route/served-routes.ts'
import type { ConvertedRule } from './rule/converted-rule.ts'
import { routeRules } from './rule/route-rules.ts'
import { serviceResource } from './service/service-resource.ts'
import { serviceWorkloads } from './service/service-workloads.ts'

/**
 * The routes of a Gateway and what they refer to: Services, their endpoints, and policies. Key: that of the Gateway.
 *
 * Parts that do not change stay the same objects, and are not copied into one list: a change of an endpoint neither
 * looks at routes nor touches ten thousand others. Each kind has a query of its own.
 */
export const gatewayRouteResources: Query<ResourceTree> = defineQuery(
  'gatewayRouteResources',
  (reads, gateway) => [
    reads.query(gatewayRoutes, gateway),
    reads.query(gatewayServices, gateway),
    reads.query(gatewayWorkloads, gateway),
    reads.query(gatewayBackendPolicies, gateway),
  ],
)

const gatewayRoutes = defineQuery('gatewayRoutes', (reads, gateway): ResourceTree => [
  resourcesOfRoutes(reads, gateway, routeResources, reads.query(servedRoutes, gateway)),
  resourcesOfRoutes(reads, gateway, childResources, Object.keys(reads.query(delegatedRoutes, gateway))),
])

const resourcesOfRoutes = (
  reads: GraphReads,
  gateway: string,
  query: Query<ResourceTree>,
  routes: readonly string[],
): ResourceTree => routes.map((route) => reads.tryQuery(query, routeAtGateway(gateway, route)) ?? NOTHING)

/** The keys of the Services that the routes of a Gateway refer to, and of those with pickers, sorted. */
export const reachedServices: Query<readonly string[]> = defineQuery('reachedServices', (reads, gateway) => {
  const services = new Set(reachedBy(reads, gateway, ({ services: reached }) => reached))
  for (const pool of reads.query(reachedPools, gateway)) {
    const picker = pickerService(reads, pool)
    if (picker !== undefined) services.add(picker)
  }
  for (const service of reads.query(backendsOfPolicies, `Service/${gateway}`)) services.add(service)
  return [...services].sort()
})

/** The keys of the InferencePools that the routes of a Gateway refer to, and its backends and models, sorted. */
export const reachedPools: Query<readonly string[]> = defineQuery('reachedPools', (reads, gateway) =>
  [
    ...new Set([
      ...reachedBy(reads, gateway, ({ pools }) => pools),
      ...reads.query(backendsOfPolicies, `InferencePool/${gateway}`),
    ]),
  ].sort(),
)

/**
 * What a Gateway reaches of a kind. Kept apart: without policies, backends and models it is an empty list, whatever the
 * routes are. Key: the kind, and that of the Gateway.
 */
const backendsOfPolicies: Query<readonly string[]> = defineQuery('backendsOfPolicies', (reads, key) => {
  if (
    reads.query(policiesByTarget, '').size === 0 &&
    reads.objects('ProxyBackend').length === 0 &&
    reads.objects('ProxyModel').length === 0
  )
    return []
  const slash = key.indexOf('/')
  const prefix = key.slice(0, slash + 1)
  return reads
    .query(gatewayReach, key.slice(slash + 1))
    .flatMap((id) => (id.startsWith(prefix) ? [id.slice(prefix.length)] : []))
})

const reachedBy = (
  reads: GraphReads,
  gateway: string,
  keys: (rule: ConvertedRule) => readonly string[],
): readonly string[] =>
  reads
    .query(reachedRoutes, gateway)
    .flatMap((route) => (reads.tryQuery(routeRules, route) ?? []).flatMap(keys))

const gatewayServices = defineQuery('gatewayServices', (reads, gateway): ResourceTree => [
  ...ofServices(reads, gateway, (service) => reads.tryQuery(serviceResource, service) ?? NOTHING),
  ...ofPools(reads, gateway, (pool) => reads.tryQuery(poolServices, pool) ?? NOTHING),
])

const gatewayWorkloads = defineQuery('gatewayWorkloads', (reads, gateway): ResourceTree => [
  ...ofServices(reads, gateway, (service) => reads.tryQuery(serviceWorkloads, service) ?? NOTHING),
  ...ofPools(reads, gateway, (pool) => reads.tryQuery(poolWorkloads, pool) ?? NOTHING),
])

/** A policy that cannot be computed stops the Gateway's updates: without it, connections might be less safe. */
const gatewayBackendPolicies = defineQuery('gatewayBackendPolicies', (reads, gateway): ResourceTree => [
  ...ofServices(reads, gateway, (service) =>
    reads.query(serviceTlsResources, targetAtGateway(gateway, service)),
  ),
  ...ofPools(reads, gateway, (pool) => [
    reads.query(serviceTlsResources, targetAtGateway(gateway, poolTarget(pool))),
    reads.query(poolPolicy, pool) ?? NOTHING,
  ]),
])

const ofServices = (
  reads: GraphReads,
  gateway: string,
  resources: (service: string) => ResourceTree,
): readonly ResourceTree[] => reads.query(reachedServices, gateway).map(resources)

const ofPools = (
  reads: GraphReads,
  gateway: string,
  resources: (pool: string) => ResourceTree,
): readonly ResourceTree[] => reads.query(reachedPools, gateway).map(resources)

const NOTHING: ResourceTree = []
