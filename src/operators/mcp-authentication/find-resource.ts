import { emptyBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Request } from '../../model/exchange/request.ts'
import type { PathMatch } from '../../model/resources/resources.ts'
import { withoutSlash } from '../../protocols/oauth/provider-quirks.ts'
import { type Routable, routeTable, type RouteTable } from '../route/table.ts'
import type { FindResource } from './metadata-endpoints.ts'
import type { ProtectedResource } from './protected-resource.ts'

/** A route, reduced to what locates protected resources: its matchers compare paths only. */
export interface ResourceLocation extends Routable {
  readonly resource: ProtectedResource | undefined
  /** Routes of each group that this route delegates to. */
  readonly groups: readonly (readonly ResourceLocation[])[]
}

/**
 * Finds the protected resource of a well-known address: the one whose configured name has this path, else that of the
 * route which would match this path. The address of the host alone stands for the route of `/`, or for the first
 * resource.
 *
 * @returns Undefined if there are no protected resources.
 */
export const findResource = (locations: readonly ResourceLocation[]): FindResource | undefined => {
  const all = protectedLocations(locations)
  if (all.length === 0) return undefined
  const table = deepTable(locations, new Map())
  const named = routeTable(all.flatMap((location) => atResourcePath(location) ?? []))
  const anywhere = routeTable(all.map((location) => withPath(location, { pathPrefix: '/' })))
  return (x, path) => {
    if (hasOtherRoute(table, x)) return undefined
    const request = requestFor(x, path || '/')
    const found = named.select(request)?.route.resource ?? select(table, request)?.location.resource
    return found ?? (path === '' ? anywhere.select(request)?.route.resource : undefined)
  }
}

interface NestedLocation extends ResourceLocation {
  readonly tables: readonly RouteTable<NestedLocation>[]
}

/** @param known The table of each list: several routes may delegate to one group. */
const deepTable = (
  locations: readonly ResourceLocation[],
  known: Map<readonly ResourceLocation[], RouteTable<NestedLocation>>,
): RouteTable<NestedLocation> => {
  const table =
    known.get(locations) ??
    routeTable(
      locations.map((location) => ({
        ...location,
        tables: location.groups.map((group) => deepTable(group, known)),
      })),
    )
  known.set(locations, table)
  return table
}

const select = (
  table: RouteTable<NestedLocation>,
  request: Request,
  seen = new Set<RouteTable<NestedLocation>>(),
): { readonly location: NestedLocation; readonly path: PathMatch } | undefined => {
  // A group selects the same, whichever way leads to it.
  const selected = seen.has(table) ? undefined : table.select(request)
  seen.add(table)
  if (!selected) return undefined
  for (const inner of selected.route.tables) {
    const found = select(inner, request, seen)
    if (found) return found
  }
  return { location: selected.route, path: selected.match.path }
}

/** A route that matches the well-known address itself and is not a protected resource serves that address. */
const hasOtherRoute = (table: RouteTable<NestedLocation>, x: Exchange): boolean => {
  const literal = select(table, x.request)
  if (!literal || literal.location.resource) return false
  const { path } = literal
  if ('exact' in path) return true
  return 'pathPrefix' in path ? path.pathPrefix.startsWith('/.well-known') : path.regex.includes('well-known')
}

const protectedLocations = (
  locations: readonly ResourceLocation[],
  seen = new Set<readonly ResourceLocation[]>(),
): readonly ResourceLocation[] => {
  if (seen.has(locations)) return []
  seen.add(locations)
  return locations.flatMap((location) => [
    ...(location.resource ? [location] : []),
    ...location.groups.flatMap((group) => protectedLocations(group, seen)),
  ])
}

const atResourcePath = (location: ResourceLocation): ResourceLocation | undefined => {
  const name = location.resource?.metadata.resource
  const url = typeof name === 'string' ? URL.parse(name) : null
  return url ? withPath(location, { exact: withoutSlash(url.pathname) || '/' }) : undefined
}

const withPath = (location: ResourceLocation, path: PathMatch): ResourceLocation => ({
  ...location,
  matches: [{ path }],
})

/** The request for the resource itself, reduced to the parts that routes match. */
const requestFor = ({ request }: Exchange, path: string): Request =>
  new Request({
    method: request.method,
    path,
    query: '',
    scheme: request.scheme,
    authority: request.authority,
    httpVersion: request.httpVersion,
    headers: request.headers,
    body: emptyBody,
    connection: request.connection,
  })
