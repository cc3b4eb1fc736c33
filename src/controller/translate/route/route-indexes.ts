import { defineIndex } from '../../graph/object-index.ts'
import type { HTTPRoute, ParentReference } from '../../kinds/http-route.ts'
import { namespacedKey } from '../../kinds/object.ts'
import { attempt } from '../attempt.ts'

/**
 * Routes by their parents: `Gateway/namespace/name` or `ListenerSet/namespace/name`. A reference of no usable shape is
 * left out: routes of others are in the same index.
 */
export const httpRoutesByParent = defineIndex('HTTPRoute', 'parent', ({ metadata, spec }) =>
  (spec.parentRefs ?? []).flatMap(
    (reference) => attempt(() => [parentValue(reference, metadata.namespace)]).value ?? [],
  ),
)

/** Routes by the Services that they refer to, as `namespace/name`. */
export const httpRoutesByService = defineIndex('HTTPRoute', 'service', (route) => referencedServices(route))

/** The value of a parent in the index of routes; parents of other kinds have a value that is never looked up. */
export const parentValue = (
  { group = GATEWAY_GROUP, kind = 'Gateway', namespace, name }: ParentReference,
  routeNamespace: string | undefined,
): string => {
  const key = namespacedKey(namespace ?? routeNamespace, name)
  return group === GATEWAY_GROUP ? `${kind}/${key}` : `${group}/${kind}/${key}`
}

const referencedServices = ({ metadata, spec }: HTTPRoute): readonly string[] =>
  (spec.rules ?? []).flatMap(({ backendRefs = [], filters = [] }) =>
    [
      ...backendRefs,
      ...[...filters, ...backendRefs.flatMap((one) => one.filters ?? [])].flatMap(
        ({ requestMirror }) => requestMirror?.backendRef ?? [],
      ),
    ].map(({ namespace, name }) => namespacedKey(namespace ?? metadata.namespace, name)),
  )

const GATEWAY_GROUP = 'gateway.networking.k8s.io'
