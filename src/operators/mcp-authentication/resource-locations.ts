import type { ResourceLookup } from '../../model/resources/resource-index.ts'
import type { Route } from '../../model/resources/resources.ts'
import type { ResourceLocation } from './find-resource.ts'
import type { ProtectedResource } from './protected-resource.ts'
import type { McpAuthentication } from './schema.ts'

type ResourceOf = (policy: McpAuthentication) => ProtectedResource

/** As deep as requests are delegated. */
const MAX_DEPTH = 16

/** The locations of protected resources among routes and their groups; none if nothing is protected. */
export const resourceLocations = (
  routes: readonly Route[],
  lookup: ResourceLookup,
  resourceOf: ResourceOf,
): readonly ResourceLocation[] => {
  if (!hasProtectedRoute(routes, lookup)) return []
  // The list of a group is made once for each depth, however many routes delegate to it.
  const known = new Map<string, readonly ResourceLocation[]>()
  const locations = (within: readonly Route[], depth: number): readonly ResourceLocation[] =>
    within.map(({ hostnames, matches, policies: { mcpAuthentication }, backends }) => ({
      hostnames,
      matches: matches.map(({ path }) => ({ path })),
      resource: mcpAuthentication && resourceOf(mcpAuthentication),
      groups: depth < MAX_DEPTH ? groupNames(backends).map((name) => ofGroup(name, depth + 1)) : [],
    }))
  const ofGroup = (name: string, depth: number): readonly ResourceLocation[] => {
    const key = `${depth} ${name}`
    const list = known.get(key) ?? locations(lookup.routeGroup(name)?.routes ?? [], depth)
    known.set(key, list)
    return list
  }
  return locations(routes, 0)
}

/** Most listeners have none: then no locations are made. */
const hasProtectedRoute = (routes: readonly Route[], lookup: ResourceLookup): boolean => {
  const seen = new Set<string>()
  const lists = [routes]
  for (let list = lists.pop(); list !== undefined; list = lists.pop())
    for (const { policies, backends } of list) {
      if (policies.mcpAuthentication !== undefined) return true
      for (const name of groupNames(backends)) {
        if (seen.has(name)) continue
        seen.add(name)
        lists.push(lookup.routeGroup(name)?.routes ?? [])
      }
    }
  return false
}

const groupNames = (backends: Route['backends']): readonly string[] =>
  backends.flatMap(({ target }) => (target.kind === 'routeGroup' ? [target.name] : []))
