import type { Match, NamedMatch, Route, TcpRoute, WeightedBackend } from '../../model/resources.ts'
import { defaults } from '../defaults.ts'
import type * as File from '../file-types.gen.ts'
import { normalPath } from '../format/path.ts'
import { backendPolicies } from './backend-policies.ts'
import { originOf } from './context.ts'
import type { Context } from './context.ts'
import { defined, given } from './defined.ts'
import { hostnames } from './hostname.ts'
import { routePolicies } from './policies.ts'
import { backendTarget } from './references.ts'
import { tlsUpstream } from './tls.ts'
import { tunnel } from './tunnel.ts'

/** Where a route belongs and where it was written. */
export interface RoutePlace {
  /** Key of the listener or route group. */
  readonly owner: string
  readonly index: number
  readonly pointer: string
  /** The gateways it names, if it is not written inside its owner: it is one route then, however many listeners have it. */
  readonly gateways?: readonly string[]
}

/** One HTTP route of a listener or group; its inline backends go to the context. */
export function httpRoute(route: File.Route, place: RoutePlace, context: Context): Route {
  const name = route.name ?? `route${String(place.index)}`
  const namespace = route.namespace ?? 'default'
  const key = routeKey(place.owner, namespace, name, route.ruleName)
  const owner = place.gateways?.join() ?? place.owner
  return defined<Route>({
    key,
    name,
    namespace,
    ruleName: route.ruleName,
    hostnames: hostnames(route.hostnames),
    matches: (route.matches ?? [{}]).map((one) => match(one, context)),
    backends: (route.backends ?? []).map((backend, index): WeightedBackend => ({
      weight: backend.weight ?? defaults.weight,
      target: backendTarget(backend, `${key}/backend${String(index)}`, context),
      policies: backendPolicies(backend.policies, context),
    })),
    policies: routePolicies(
      route.policies,
      context,
      `route ${routeKey(owner, namespace, name, route.ruleName)}`,
    ),
    origin: originOf(context, place.pointer),
  })
}

/** One TCP route of a listener; its inline backends go to the context. */
export function tcpRoute(route: File.TcpRoute, place: RoutePlace, context: Context): TcpRoute {
  const name = route.name ?? `tcproute${String(place.index)}`
  const namespace = route.namespace ?? 'default'
  const key = routeKey(place.owner, namespace, name, route.ruleName)
  return defined<TcpRoute>({
    key,
    name,
    namespace,
    ruleName: route.ruleName,
    hostnames: hostnames(route.hostnames),
    backends: (route.backends ?? []).map((backend, index) =>
      defined<TcpRoute['backends'][number]>({
        weight: backend.weight ?? defaults.weight,
        target: backendTarget(backend, `${key}/backend${String(index)}`, context),
        tls: given(backend.policies?.backendTLS ?? route.policies?.backendTLS, tlsUpstream),
        tunnel: given(backend.policies?.backendTunnel ?? route.policies?.backendTunnel, (policy) =>
          tunnel(policy, context),
        ),
      }),
    ),
    origin: originOf(context, place.pointer),
  })
}

/** `{owner}/{namespace}/{name}`, and the name of the rule where there is one: several rules may share a name. */
function routeKey(owner: string, namespace: string, name: string, ruleName?: string): string {
  return `${owner}/${namespace}/${name}${ruleName === undefined ? '' : `/${ruleName}`}`
}

/**
 * The conditions of a match, with the prefix `/` where there is no path. Paths are spelled like those of requests, since
 * no other spelling would ever match; expressions are left as they are.
 */
export function match(source: File.Match, rules: Pick<Context, 'mergeSlashes'>): Match {
  return defined<Match>({
    path: given(source.path, (path) => pathMatch(path, rules.mergeSlashes)) ?? { pathPrefix: '/' },
    method: source.method,
    headers: given(source.headers, (list) =>
      list.map((entry) => namedMatch(entry, entry.name.toLowerCase())),
    ),
    query: given(source.query, (list) => list.map((entry) => namedMatch(entry, entry.name))),
  })
}

function pathMatch({ exact, pathPrefix, regex }: File.PathMatch, mergeSlashes: boolean): Match['path'] {
  if (exact !== undefined) return { exact: normalPath(exact, mergeSlashes) }
  if (pathPrefix !== undefined) return { pathPrefix: normalPath(pathPrefix, mergeSlashes) }
  return { regex: regex ?? '' }
}

/** A condition on a header or parameter. */
export function namedMatch({ value }: { value: File.ValueMatch }, name: string): NamedMatch {
  return { name, value: value.exact === undefined ? { regex: value.regex ?? '' } : { exact: value.exact } }
}
