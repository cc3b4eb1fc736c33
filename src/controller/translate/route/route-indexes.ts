import { defineIndex, type Index } from '../../graph/object-index.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { HTTPRouteFilter, ParentReference } from '../../kinds/http-route.ts'
import type { ObjectReference } from '../../kinds/gateway-api.ts'
import { namespacedKey, objectKey } from '../../kinds/object.ts'
import { attempt } from '../attempt.ts'
import { routeId, type RouteObject, type RouteObjectKind, routeObjectKinds } from './route-id.ts'

/** The ids of the routes that name a parent: `Gateway/namespace/name` or `ListenerSet/namespace/name`. */
export const routesOfParent = (reads: GraphReads, parent: string): readonly string[] =>
  indexedRoutes(reads, byParent, parent)

/** The ids of the routes that refer to a Service: `namespace/name`. */
export const routesOfService = (reads: GraphReads, service: string): readonly string[] =>
  indexedRoutes(reads, byService, service)

/** The value of a parent in the index of routes; parents of other kinds have a value that is never looked up. */
export const parentValue = (
  { group = GATEWAY_GROUP, kind = 'Gateway', namespace, name }: ParentReference,
  routeNamespace: string | undefined,
): string => {
  const key = namespacedKey(namespace ?? routeNamespace, name)
  return group === GATEWAY_GROUP ? `${kind}/${key}` : `${group}/${kind}/${key}`
}

/** A parentRef as statuses have it, with the defaults of the Gateway API. */
export const statusParentRef = (reference: ParentReference | undefined, namespace: string): ParentReference =>
  ({ group: GATEWAY_GROUP, kind: 'Gateway', namespace, ...reference }) as ParentReference

type RouteIndexes = readonly { readonly kind: RouteObjectKind; readonly index: Index<RouteObjectKind> }[]

const indexedRoutes = (reads: GraphReads, indexes: RouteIndexes, value: string): readonly string[] =>
  indexes.flatMap(({ kind, index }) =>
    reads.indexed(index, value).map((route) => routeId(kind, objectKey(route))),
  )

/** A reference of no usable shape is left out: routes of others are in the same index. */
const namedParents = ({ metadata, spec }: RouteObject): readonly string[] =>
  (spec.parentRefs ?? []).flatMap(
    (reference) => attempt(() => [parentValue(reference, metadata.namespace)]).value ?? [],
  )

/** Those of mirrors included, which only routes of requests have. */
const referencedServices = ({ metadata, spec }: RouteObject): readonly string[] =>
  (spec.rules ?? [])
    .flatMap((rule: FilteredRule) => {
      const { backendRefs = [], filters = [] } = rule
      const all = [...filters, ...backendRefs.flatMap((one) => one.filters ?? [])]
      return [...backendRefs, ...all.flatMap(({ requestMirror }) => requestMirror?.backendRef ?? [])]
    })
    .map(({ namespace, name }) => namespacedKey(namespace ?? metadata.namespace, name))

/** What rules of all kinds have in common. */
interface FilteredRule {
  readonly filters?: readonly Pick<HTTPRouteFilter, 'requestMirror'>[]
  readonly backendRefs?: readonly (ObjectReference & Pick<FilteredRule, 'filters'>)[]
}

const byKind = (name: string, values: (route: RouteObject) => readonly string[]): RouteIndexes =>
  routeObjectKinds.map((kind) => ({ kind, index: defineIndex(kind, name, values) }))

const byParent = byKind('parent', namedParents)
const byService = byKind('service', referencedServices)

const GATEWAY_GROUP = 'gateway.networking.k8s.io'
