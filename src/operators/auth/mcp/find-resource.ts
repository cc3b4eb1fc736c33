import { emptyBody } from '../../../model/body.ts'
import type { Exchange } from '../../../model/exchange.ts'
import { Request } from '../../../model/request.ts'
import type { PathMatch } from '../../../model/resources.ts'
import { withoutSlash } from '../../../protocols/oauth/identity-provider.ts'
import { type Routable, routeTable, type RouteTable } from '../../route/table.ts'
import type { FindResource } from './discover.ts'
import type { ProtectedResource } from './protected-resource.ts'

/** A route, as far as it matters where protected resources are: its matchers ask for paths only. */
export interface Place extends Routable {
  readonly resource: ProtectedResource | undefined
  /** The routes of each group that it hands requests on to. */
  readonly groups: readonly (readonly Place[])[]
}

/**
 * Finds the protected resource that a well-known address is about: the one whose configured name has this path, else that
 * of the route which would get requests for this path. The address of the host alone is about the route of `/`, or about
 * the first resource there is.
 *
 * @returns Undefined if there are no protected resources at all.
 */
export const findResource = (places: readonly Place[]): FindResource | undefined => {
  const all = places.flatMap(protectedOnes)
  if (all.length === 0) return undefined
  const table = deepTable(places)
  const named = routeTable(all.flatMap((place) => atItsName(place) ?? []))
  const anywhere = routeTable(all.map((place) => at(place, { pathPrefix: '/' })))
  return (x, path) => {
    if (isServedOtherwise(table, x)) return undefined
    const request = requestFor(x, path || '/')
    const found = named.select(request)?.route.resource ?? select(table, request)?.place.resource
    return found ?? (path === '' ? anywhere.select(request)?.route.resource : undefined)
  }
}

interface DeepPlace extends Place {
  readonly tables: readonly RouteTable<DeepPlace>[]
}

const deepTable = (places: readonly Place[]): RouteTable<DeepPlace> =>
  routeTable(places.map((place) => ({ ...place, tables: place.groups.map(deepTable) })))

const select = (
  table: RouteTable<DeepPlace>,
  request: Request,
): { readonly place: DeepPlace; readonly path: PathMatch } | undefined => {
  const selected = table.select(request)
  if (!selected) return undefined
  for (const inner of selected.route.tables) {
    const found = select(inner, request)
    if (found) return found
  }
  return { place: selected.route, path: selected.match.path }
}

/** A route that names the well-known address itself, and is no protected resource, is meant to answer for it. */
const isServedOtherwise = (table: RouteTable<DeepPlace>, x: Exchange): boolean => {
  const literal = select(table, x.request)
  if (!literal || literal.place.resource) return false
  const { path } = literal
  if ('exact' in path) return true
  return 'pathPrefix' in path ? path.pathPrefix.startsWith('/.well-known') : path.regex.includes('well-known')
}

const protectedOnes = (place: Place): readonly Place[] => [
  ...(place.resource ? [place] : []),
  ...place.groups.flat().flatMap(protectedOnes),
]

const atItsName = (place: Place): Place | undefined => {
  const name = place.resource?.metadata.resource
  const url = typeof name === 'string' ? URL.parse(name) : null
  return url ? at(place, { exact: withoutSlash(url.pathname) || '/' }) : undefined
}

const at = (place: Place, path: PathMatch): Place => ({ ...place, matches: [{ path }] })

/** The request for the resource itself, as far as routes ask for it here. */
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
