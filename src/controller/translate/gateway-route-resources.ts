import type { ResourceTree } from '../../config/xds/resource-tree.ts'
import { defineQuery, type GraphReads, type Query } from '../graph/query.ts'
import { serviceAtGateway, serviceTlsResources } from './backend-tls/tls-policy-resources.ts'
import { gatewayReach } from './policy/gateway-reach.ts'
import { policiesByTarget } from './policy/policy-targets.ts'
import { routeAtGateway, routeResources, servedRoutes } from './route/route-resources.ts'
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

const gatewayRoutes = defineQuery('gatewayRoutes', (reads, gateway): ResourceTree =>
  reads
    .query(servedRoutes, gateway)
    .map((route) => reads.tryQuery(routeResources, routeAtGateway(gateway, route)) ?? NOTHING),
)

/** The keys of the Services that the routes and policies of a Gateway refer to, sorted. */
const reachedServices: Query<readonly string[]> = defineQuery('reachedServices', (reads, gateway) => {
  const services = new Set<string>()
  for (const route of reads.query(servedRoutes, gateway))
    for (const rule of reads.tryQuery(routeRules, route) ?? [])
      for (const service of rule.services) services.add(service)
  for (const service of reads.query(servicesOfPolicies, gateway)) services.add(service)
  return [...services].sort()
})

/** Kept apart: without policies it is an empty list, whatever the routes are. */
const servicesOfPolicies: Query<readonly string[]> = defineQuery('servicesOfPolicies', (reads, gateway) =>
  Object.keys(reads.query(policiesByTarget, '')).length === 0
    ? []
    : reads
        .query(gatewayReach, gateway)
        .flatMap((id) => (id.startsWith('Service/') ? [id.slice('Service/'.length)] : [])),
)

const gatewayServices = defineQuery('gatewayServices', (reads, gateway) =>
  ofServices(reads, gateway, (service) => reads.tryQuery(serviceResource, service) ?? NOTHING),
)

const gatewayWorkloads = defineQuery('gatewayWorkloads', (reads, gateway) =>
  ofServices(reads, gateway, (service) => reads.tryQuery(serviceWorkloads, service) ?? NOTHING),
)

/** A policy that cannot be computed stops the Gateway's updates: without it, connections might be less safe. */
const gatewayBackendPolicies = defineQuery('gatewayBackendPolicies', (reads, gateway) =>
  ofServices(reads, gateway, (service) =>
    reads.query(serviceTlsResources, serviceAtGateway(gateway, service)),
  ),
)

const ofServices = (
  reads: GraphReads,
  gateway: string,
  resources: (service: string) => ResourceTree,
): ResourceTree => reads.query(reachedServices, gateway).map(resources)

const NOTHING: ResourceTree = []
