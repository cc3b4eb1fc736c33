import { isDeepStrictEqual } from 'node:util'
import { sameItems } from '../../../model/resources/list-difference.ts'
import type { Backend, Resources, Route, WeightedBackend } from '../../../model/resources/resources.ts'
import type { McpAuthentication } from '../schema.ts'
import { mergeRules } from '../../authorization/normalize.ts'
import type { Derived } from '../../../config/derived.ts'

/**
 * Makes `mcpAuthentication` of backends that of the routes that lead to them, in place of their own: clients find the
 * metadata by the addresses of routes, and rules of routes may read the token. Belongs after merging. A route whose
 * backends do not agree refuses all requests.
 */
export const raiseAuthentication = (resources: Resources, derived: Derived): Resources => {
  const { backends, binds, routeGroups } = resources
  const byBackend = derived.of('authenticated backends', '', [backends], () =>
    authenticatedBackends(backends),
  )
  /** The owner is what the list belongs to. */
  const raised = (owner: unknown, routes: readonly Route[]): readonly Route[] =>
    derived.of('authenticated routes', owner, [routes, byBackend], () => {
      const made = routes.map((route) => {
        const found = route.backends.flatMap((one) => authenticationOf(one, byBackend))
        return found.some((one) => one !== undefined)
          ? derived.of('authenticated route', route, found, () => withAuthentication(route, found))
          : route
      })
      return sameItems(made, routes) ? routes : made
    })
  const raisedBinds = binds.map((bind) => {
    const listeners = bind.listeners.map((listener) => {
      const routes = raised(`${bind.key} ${listener.key}`, listener.routes)
      return routes === listener.routes
        ? listener
        : derived.of('authenticated listener', listener, [routes], () => ({ ...listener, routes }))
    })
    return sameItems(listeners, bind.listeners)
      ? bind
      : derived.of('authenticated bind', bind, listeners, () => ({ ...bind, listeners }))
  })
  const raisedGroups = routeGroups.map((group) => {
    const routes = raised(`group ${group.name}`, group.routes)
    return routes === group.routes
      ? group
      : derived.of('authenticated group', group, [routes], () => ({ ...group, routes }))
  })
  return sameItems(raisedBinds, binds) && sameItems(raisedGroups, routeGroups)
    ? resources
    : { ...resources, binds: raisedBinds, routeGroups: raisedGroups }
}

type ByBackend = ReadonlyMap<string, McpAuthentication>

const authenticatedBackends = (backends: readonly Backend[]): ByBackend =>
  new Map(
    backends.flatMap(({ key, policies: { mcpAuthentication } }) =>
      mcpAuthentication ? [[key, mcpAuthentication] as const] : [],
    ),
  )

/** Nothing for references that lead nowhere: they serve nothing. */
const authenticationOf = (
  { target, policies }: WeightedBackend,
  byBackend: ByBackend,
): readonly (McpAuthentication | undefined)[] => {
  if (target.kind === 'invalid') return []
  return [policies.mcpAuthentication ?? (target.kind === 'backend' ? byBackend.get(target.key) : undefined)]
}

const withAuthentication = (route: Route, found: readonly (McpAuthentication | undefined)[]): Route => {
  const { policies, lockedPolicies } = route
  const [first] = found
  if (first === undefined || !found.every((one) => isDeepStrictEqual(one, first)))
    return { ...route, policies: { ...policies, authorization: refusing(policies.authorization) } }
  return lockedPolicies?.has('mcpAuthentication')
    ? route
    : { ...route, policies: { ...policies, mcpAuthentication: first } }
}

const refusing = (authorization: Route['policies']['authorization']) =>
  mergeRules(authorization ?? { rules: [] }, { rules: [{ deny: 'true' }] })
