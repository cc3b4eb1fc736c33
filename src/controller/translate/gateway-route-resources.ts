import type { XdsResource } from '../../config/xds/xds-resource.ts'
import { defineQuery, type GraphReads, type Query } from '../graph/query.ts'
import { serviceAtGateway, serviceTlsResources } from './backend-tls/tls-policy-resources.ts'
import { routeAtGateway, routeResources, servedRoutes } from './route/route-resources.ts'
import { httpRouteRules } from './rule/http-route-rules.ts'
import { serviceResource } from './service/service-resource.ts'
import { serviceWorkloads } from './service/service-workloads.ts'

/**
 * The routes of a Gateway and what they refer to: Services, their endpoints, and policies. Key: that of the Gateway.
 *
 * Parts that do not change stay the same objects. Each kind has a query of its own, so that a change of an endpoint
 * does not look at routes.
 */
export const gatewayRouteResources: Query<readonly XdsResource[]> = defineQuery(
  'gatewayRouteResources',
  (reads, gateway) => [
    ...reads.query(gatewayRoutes, gateway),
    ...reads.query(gatewayServices, gateway),
    ...reads.query(gatewayWorkloads, gateway),
    ...reads.query(gatewayBackendPolicies, gateway),
  ],
)

const gatewayRoutes = defineQuery('gatewayRoutes', (reads, gateway) =>
  reads
    .query(servedRoutes, gateway)
    .flatMap((route) => reads.tryQuery(routeResources, routeAtGateway(gateway, route)) ?? []),
)

/** The keys of the Services that the routes of a Gateway refer to. */
const reachedServices: Query<readonly string[]> = defineQuery('reachedServices', (reads, gateway) => [
  ...new Set(
    reads
      .query(servedRoutes, gateway)
      .flatMap((route) => reads.tryQuery(httpRouteRules, route)?.flatMap(({ services }) => services) ?? []),
  ),
])

const gatewayServices = defineQuery('gatewayServices', (reads, gateway) =>
  ofServices(reads, gateway, (service) => reads.tryQuery(serviceResource, service) ?? []),
)

const gatewayWorkloads = defineQuery('gatewayWorkloads', (reads, gateway) =>
  ofServices(reads, gateway, (service) => reads.tryQuery(serviceWorkloads, service) ?? []),
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
  resources: (service: string) => XdsResource | readonly XdsResource[],
): readonly XdsResource[] => [...reads.query(reachedServices, gateway)].sort().flatMap(resources)
