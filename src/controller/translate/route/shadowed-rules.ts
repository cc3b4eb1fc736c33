import { hash } from 'node:crypto'
import { routeGroupParent } from '../../../config/xds/xds-resource.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { attempt } from '../attempt.ts'
import { delegatedRoutes, reachedRoutes } from '../delegation/delegated-routes.ts'
import type { RuleResource } from '../rule/converted-rule.ts'
import { routeRules } from '../rule/route-rules.ts'
import { matchingHostnames } from './matching-hostnames.ts'
import { routeAge, routeObject, type RouteObject } from './route-id.ts'
import { routeParents } from './route-parents.ts'

/** A rule whose requests an older route serves. */
export interface ShadowedRule {
  readonly rule: number
  /** The key of the listener, or `routeGroupParent` of the group, that both are in. */
  readonly parent: string
  /** The id of the older route. */
  readonly by: string
}

/**
 * The rules at a Gateway that have a match in common with an older route at the same listener, or in the same route group,
 * and for the same host name, by the id of the younger route. Key: that of the Gateway.
 */
export const shadowedRules: Query<Readonly<Record<string, readonly ShadowedRule[]>>> = defineQuery(
  'shadowedRules',
  (reads, gateway) => {
    const owners = new Map<string, string>()
    const shadowed: Record<string, ShadowedRule[]> = {}
    const routes = reads
      .query(reachedRoutes, gateway)
      .map((route) => ({ route, age: `${reads.query(routeAge, route)} ${route}` }))
      .sort((a, b) => (a.age < b.age ? -1 : 1))
    const children = reads.query(delegatedRoutes, gateway)
    for (const { route } of routes) {
      // A route that cannot be computed shadows no other.
      const matchers = reads.tryQuery(ruleMatchers, route) ?? []
      const listeners = (reads.tryQuery(routeParents, route) ?? []).flatMap((parent) =>
        parent.gateway === gateway ? parent.listeners : [],
      )
      const groups = (children[route] ?? []).map((group) => ({
        key: routeGroupParent(group),
        hostnames: hostnamesOf(routeObject(reads, route)),
      }))
      for (const { key, hostnames } of [...listeners, ...groups])
        for (const { rule, matches } of matchers) {
          const by = firstOwner(owners, route, places(key, hostnames, matches))
          if (by !== undefined) (shadowed[route] ??= []).push({ rule, parent: key, by })
        }
    }
    return shadowed
  },
)

/** Those that a route of a group matches; an empty one stands for all. */
const hostnamesOf = (route: RouteObject | undefined): readonly string[] =>
  attempt(() => matchingHostnames('', route?.spec.hostnames)).value ?? []

const places = (
  parent: string,
  hostnames: readonly string[],
  matches: readonly string[],
): readonly string[] =>
  hostnames.flatMap((hostname) => matches.map((match) => `${parent} ${hostname} ${match}`))

/** Another route that has one of the places already. The free ones become the route's. */
const firstOwner = (
  owners: Map<string, string>,
  route: string,
  wanted: readonly string[],
): string | undefined => {
  let found: string | undefined
  for (const place of wanted) {
    const owner = owners.get(place)
    if (owner === undefined) owners.set(place, route)
    else if (owner !== route) found ??= owner
  }
  return found
}

interface RuleMatchers {
  readonly rule: number
  readonly matches: readonly string[]
}

/**
 * The matches of the rules of a route as texts, which are equal for matches of the same requests. They are hashes: the
 * texts of all routes are compared after a change of any, and a match of a tenant may be 100 KB long.
 */
const ruleMatchers: Query<readonly RuleMatchers[]> = defineQuery('ruleMatchers', (reads, route) =>
  reads
    .query(routeRules, route)
    .map(({ index, resource }) => ({ rule: index, matches: resource ? matchTexts(resource) : [] })),
)

/** Connections are matched by host name alone, datagrams by nothing. */
const matchTexts = (resource: RuleResource): readonly string[] =>
  resource.kind === 'route'
    ? (resource.model.matches ?? []).map(({ path, method, headers = [], query = [] }) =>
        hash('sha256', JSON.stringify([path, method, sortedTexts(headers), sortedTexts(query)]), 'base64'),
      )
    : ['']

const sortedTexts = (list: readonly unknown[]): readonly string[] =>
  list.map((one) => JSON.stringify(one)).sort()
