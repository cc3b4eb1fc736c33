import { defineIndex } from '../../graph/object-index.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { GRPCRoute } from '../../kinds/grpc-route.ts'
import type { HTTPRoute, ParentReference } from '../../kinds/http-route.ts'
import { namespacedKey, objectKey } from '../../kinds/object.ts'
import { attempt } from '../attempt.ts'
import { routeId } from './route-id.ts'

/** The ids of the routes that name a parent: `Gateway/namespace/name` or `ListenerSet/namespace/name`. */
export const routesOfParent = (reads: GraphReads, parent: string): readonly string[] => [
  ...reads.indexed(grpcRoutesByParent, parent).map((route) => routeId('GRPCRoute', objectKey(route))),
  ...reads.indexed(httpRoutesByParent, parent).map((route) => routeId('HTTPRoute', objectKey(route))),
]

/** The ids of the routes that refer to a Service: `namespace/name`. */
export const routesOfService = (reads: GraphReads, service: string): readonly string[] => [
  ...reads.indexed(grpcRoutesByService, service).map((route) => routeId('GRPCRoute', objectKey(route))),
  ...reads.indexed(httpRoutesByService, service).map((route) => routeId('HTTPRoute', objectKey(route))),
]

/** The value of a parent in the index of routes; parents of other kinds have a value that is never looked up. */
export const parentValue = (
  { group = GATEWAY_GROUP, kind = 'Gateway', namespace, name }: ParentReference,
  routeNamespace: string | undefined,
): string => {
  const key = namespacedKey(namespace ?? routeNamespace, name)
  return group === GATEWAY_GROUP ? `${kind}/${key}` : `${group}/${kind}/${key}`
}

/** A reference of no usable shape is left out: routes of others are in the same index. */
const namedParents = ({ metadata, spec }: HTTPRoute | GRPCRoute): readonly string[] =>
  (spec.parentRefs ?? []).flatMap(
    (reference) => attempt(() => [parentValue(reference, metadata.namespace)]).value ?? [],
  )

const referencedServices = ({ metadata, spec }: HTTPRoute | GRPCRoute): readonly string[] =>
  (spec.rules ?? []).flatMap(({ backendRefs = [], filters = [] }) =>
    [
      ...backendRefs,
      ...[...filters, ...backendRefs.flatMap((one) => one.filters ?? [])].flatMap(
        ({ requestMirror }) => requestMirror?.backendRef ?? [],
      ),
    ].map(({ namespace, name }) => namespacedKey(namespace ?? metadata.namespace, name)),
  )

const httpRoutesByParent = defineIndex('HTTPRoute', 'parent', namedParents)
const grpcRoutesByParent = defineIndex('GRPCRoute', 'parent', namedParents)
const httpRoutesByService = defineIndex('HTTPRoute', 'service', referencedServices)
const grpcRoutesByService = defineIndex('GRPCRoute', 'service', referencedServices)

const GATEWAY_GROUP = 'gateway.networking.k8s.io'
