import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { GRPCRoute } from '../../kinds/grpc-route.ts'
import type { HTTPRoute } from '../../kinds/http-route.ts'
import type { Layer4Route } from '../../kinds/layer-4-route.ts'

/** The kinds of routes of requests, in the order of the alphabet. */
export const requestRouteKinds = ['GRPCRoute', 'HTTPRoute'] as const

/** The kinds of routes, in the order of the alphabet. */
export const routeObjectKinds = [...requestRouteKinds, 'TCPRoute', 'TLSRoute', 'UDPRoute'] as const

/** A kind of routes of requests. */
export type RequestRouteKind = (typeof requestRouteKinds)[number]

/** A kind of routes of connections or datagrams. */
export type Layer4RouteKind = Exclude<RouteObjectKind, RequestRouteKind>

/** A kind of routes. */
export type RouteObjectKind = (typeof routeObjectKinds)[number]

/** A route of any kind. */
export type RouteObject = HTTPRoute | GRPCRoute | Layer4Route

/** The id of a route among those of all kinds: `HTTPRoute/namespace/name`. Queries about routes take it as their key. */
export const routeId = (kind: RouteObjectKind, key: string): string => `${kind}/${key}`

/** Kind and key of a route, by its id. */
export const parseRouteId = (id: string): { readonly kind: RouteObjectKind; readonly key: string } => {
  const slash = id.indexOf('/')
  return { kind: id.slice(0, slash) as RouteObjectKind, key: id.slice(slash + 1) }
}

/** The key of a route, given by its id, at a Gateway. */
export const routeAtGateway = (gateway: string, route: string): string => `${gateway} ${route}`

/** The route of an id. */
export const routeObject = (reads: GraphReads, id: string): RouteObject | undefined => {
  const { kind, key } = parseRouteId(id)
  return reads.object(kind, key)
}

/** Whether routes of a kind select requests; others select connections or datagrams. */
export const isRequestRouteKind = (kind: RouteObjectKind): kind is RequestRouteKind =>
  kind === 'GRPCRoute' || kind === 'HTTPRoute'

/** When a route was created, as RFC 3339, by its id. */
export const routeAge: Query<string> = defineQuery(
  'routeAge',
  (reads, id) => routeObject(reads, id)?.metadata.creationTimestamp ?? '',
)
