import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { GRPCRoute } from '../../kinds/grpc-route.ts'
import type { HTTPRoute } from '../../kinds/http-route.ts'

/** The kinds of routes, in the order of the alphabet. */
export const routeObjectKinds = ['GRPCRoute', 'HTTPRoute'] as const

/** A kind of routes. */
export type RouteObjectKind = (typeof routeObjectKinds)[number]

/** The id of a route among those of all kinds: `HTTPRoute/namespace/name`. Queries about routes take it as their key. */
export const routeId = (kind: RouteObjectKind, key: string): string => `${kind}/${key}`

/** Kind and key of a route, by its id. */
export const parseRouteId = (id: string): { readonly kind: RouteObjectKind; readonly key: string } => {
  const slash = id.indexOf('/')
  return { kind: id.slice(0, slash) as RouteObjectKind, key: id.slice(slash + 1) }
}

/** The route of an id. */
export const routeObject = (reads: GraphReads, id: string): HTTPRoute | GRPCRoute | undefined => {
  const { kind, key } = parseRouteId(id)
  return reads.object(kind, key)
}

/** When a route was created, as RFC 3339, by its id. */
export const routeAge: Query<string> = defineQuery(
  'routeAge',
  (reads, id) => routeObject(reads, id)?.metadata.creationTimestamp ?? '',
)
