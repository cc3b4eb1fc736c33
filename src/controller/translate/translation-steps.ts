import type { Graph } from '../graph/graph.ts'
import type { Query } from '../graph/query.ts'
import type { Kind } from '../kinds/kinds.ts'
import { objectKey } from '../kinds/object.ts'
import { attempt } from './attempt.ts'
import { translatedBackend } from './backend/translated-backend.ts'
import { serviceTlsResources, targetAtGateway } from './backend-tls/tls-policy-resources.ts'
import { delegatedRoutes, reachedRoutes } from './delegation/delegated-routes.ts'
import { desiredStatus, stateParts, statusKeys } from './desired-state.ts'
import { reachedPools, reachedServices } from './gateway-route-resources.ts'
import { ownGatewayKeys } from './gateway/own-gateway-keys.ts'
import { poolServices } from './inference/pool-resources.ts'
import { poolWorkloads } from './inference/pool-workloads.ts'
import { gatewayListeners } from './listener/gateway-listeners.ts'
import { translatedModel } from './model/translated-model.ts'
import { translatedPolicy } from './policy/translated-policy.ts'
import { routeCandidates, routeParentFailures } from './route/route-candidates.ts'
import { routeAge, routeAtGateway, routeId, routeObjectKinds } from './route/route-id.ts'
import { routeParents } from './route/route-parents.ts'
import { routeResources } from './route/route-resources.ts'
import { servedRoutes } from './route/served-routes.ts'
import { parentsByHostnames, ruleMatchers } from './route/shadowed-rules.ts'
import { isRouteServed } from './route/route-status.ts'
import { routeRules } from './rule/route-rules.ts'
import { serviceResource } from './service/service-resource.ts'
import { serviceWorkloads } from './service/service-workloads.ts'

/**
 * Most of what a translation costs, in steps of an object each: the graph keeps the values, and other work of the process
 * can have its turn between two steps. What a step throws is for whoever reads the value.
 */
export function* translationSteps(graph: Graph): Generator<unknown, void> {
  const read = (query: Query<unknown>, key: string): unknown => attempt(() => graph.read(query, key)).value
  for (const [kind, query] of perObject)
    for (const object of graph.objects(kind)) yield read(query, objectKey(object))
  for (const query of perRoute)
    for (const kind of routeObjectKinds)
      for (const object of graph.objects(kind)) {
        const id = routeId(kind, objectKey(object))
        const isOurs = (attempt(() => graph.read(routeCandidates, id)).value ?? []).length > 0
        yield isOurs || query === routeParentFailures ? read(query, id) : undefined
      }
  for (const gateway of graph.read(ownGatewayKeys, ''))
    for (const query of perGateway) yield read(query, gateway)
  for (const gateway of graph.read(ownGatewayKeys, ''))
    for (const [reached, ...queries] of perReached)
      for (const key of keysOf(graph, reached, gateway)) for (const query of queries) yield read(query, key)
  for (const gateway of graph.read(ownGatewayKeys, ''))
    for (const service of keysOf(graph, reachedServices, gateway))
      yield read(serviceTlsResources, targetAtGateway(gateway, service))
  for (const gateway of graph.read(ownGatewayKeys, ''))
    for (const route of keysOf(graph, servedRoutes, gateway))
      for (const query of [routeResources, parentsByHostnames])
        yield read(query, routeAtGateway(gateway, route))
  for (const key of statusKeys(graph)) yield read(desiredStatus, key)
  for (const [query, key] of stateParts(graph)) yield read(query, key)
}

const keysOf = (graph: Graph, query: Query<readonly string[]>, key: string): readonly string[] =>
  attempt(() => graph.read(query, key)).value ?? []

/** Each has those before as its parts. */
const perGateway: readonly Query<unknown>[] = [servedRoutes, delegatedRoutes, reachedRoutes, reachedPools]

const perReached: readonly (readonly [Query<readonly string[]>, ...Query<unknown>[]])[] = [
  [reachedServices, serviceResource, serviceWorkloads],
  [reachedPools, poolServices, poolWorkloads],
]

/** Those of all routes before what needs those of all. */
const perRoute: readonly Query<unknown>[] = [
  routeParentFailures,
  routeRules,
  routeParents,
  routeAge,
  ruleMatchers,
  isRouteServed,
]

const perObject: readonly (readonly [Kind, Query<unknown>])[] = [
  ['Gateway', gatewayListeners],
  ['ProxyPolicy', translatedPolicy],
  ['ProxyBackend', translatedBackend],
  ['ProxyModel', translatedModel],
]
