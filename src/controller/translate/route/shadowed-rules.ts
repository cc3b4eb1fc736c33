import { hash } from 'node:crypto'
import { routeGroupParent } from '../../../config/xds/xds-resource.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { attempt } from '../attempt.ts'
import { delegatedRoutes, reachedRoutes } from '../delegation/delegated-routes.ts'
import type { RuleResource } from '../rule/converted-rule.ts'
import { routeRules } from '../rule/route-rules.ts'
import { matchingHostnames } from './matching-hostnames.ts'
import { routeAge, routeAtGateway, routeObject, type RouteObject } from './route-id.ts'
import { MatchOwners } from './match-owners.ts'
import { routeParents } from './route-parents.ts'

/** A rule whose requests an older route serves. */
export interface ShadowedRule {
  readonly rule: number
  /** The keys of the listeners, and `routeGroupParent` of the groups, that both are in. */
  readonly parents: readonly string[]
  /** The id of the older route. */
  readonly by: string
}

/** What comparing the routes of a Gateway has found. */
export interface ShadowedRules {
  /** By the id of the younger route. */
  readonly rules: Readonly<Record<string, readonly ShadowedRule[]>>
  /** The ids of the youngest routes, if they were not compared any more. */
  readonly unknown: ReadonlySet<string>
}

/**
 * Host names times matches times listeners that the routes of a Gateway may have in common: 128 matches for 16 host names
 * at a thousand listeners are two million for one route, and all of them are compared after a change of any. Routes that
 * differ in host names or in matches have none in common, however many they are.
 */
const MAX_COMPARED = 200_000

/** The message about routes that are not compared. */
export const notCompared = `The routes of the Gateway have more than ${MAX_COMPARED} combinations of host name, match and listener in common: the youngest are not compared with the older ones`

/**
 * The rules at a Gateway that have a match in common with an older route at the same listener, or in the same route group,
 * and for the same host name. Key: that of the Gateway.
 */
export const shadowedRules: Query<ShadowedRules> = defineQuery('shadowedRules', (reads, gateway) => {
  const routes = reads
    .query(reachedRoutes, gateway)
    .map((route) => ({ route, age: `${reads.query(routeAge, route)} ${route}` }))
    .sort((a, b) => (a.age < b.age ? -1 : 1))
    .map(({ route }) => ({
      route,
      // A route that cannot be computed shadows no other.
      matchers: reads.tryQuery(ruleMatchers, route) ?? [],
      parents: reads.tryQuery(parentsByHostnames, routeAtGateway(gateway, route)) ?? [],
    }))
  const matches = valuesOfSeveral(routes.map(({ matchers }) => matchers.flatMap((one) => one.matches)))
  const hostnames = valuesOfSeveral(routes.map(({ parents }) => parents.flatMap((one) => one.hostnames)))
  const owners = new MatchOwners()
  const rules: Record<string, readonly ShadowedRule[]> = {}
  const unknown = new Set<string>()
  for (const { route, matchers, parents } of routes) {
    const common = matchers.flatMap(({ rule, matches: texts }) => {
      const own = texts.filter((text) => matches.has(text))
      return own.length === 0 ? [] : [{ rule, texts: own }]
    })
    const shadowed: ShadowedRule[] = []
    for (const one of parents) {
      const names = one.hostnames.filter((name) => hostnames.has(name))
      for (const { rule, texts } of names.length === 0 ? [] : common) {
        if (owners.count + names.length * texts.length > MAX_COMPARED) {
          unknown.add(route)
          break
        }
        const claimed = names.flatMap((name) => texts.map((text) => `${name} ${text}`))
        for (const [by, at] of owners.claim(route, one, claimed)) shadowed.push({ rule, parents: at, by })
      }
      if (unknown.has(route)) break
    }
    if (shadowed.length > 0) rules[route] = shadowed
  }
  return { rules, unknown }
})

/** Values that are in more than one of the lists. */
const valuesOfSeveral = (lists: readonly (readonly string[])[]): ReadonlySet<string> => {
  const seen = new Set<string>()
  const several = new Set<string>()
  for (const list of lists) {
    const own = new Set(list)
    for (const value of own) if (seen.has(value)) several.add(value)
    for (const value of own) seen.add(value)
  }
  return several
}

/** Parents of a route where it has the same host names. */
export interface ParentsOfHostnames {
  /** Equal for equal keys. */
  readonly id: string
  readonly keys: readonly string[]
  readonly hostnames: readonly string[]
}

/** The parents of a route at a Gateway; key: that of `routeAtGateway`. */
export const parentsByHostnames: Query<readonly ParentsOfHostnames[]> = defineQuery(
  'parentsByHostnames',
  (reads, key) => {
    const [gateway = '', route = ''] = key.split(' ')
    const listeners = reads
      .query(routeParents, route)
      .flatMap((parent) => (parent.gateway === gateway ? parent.listeners : []))
    const groups = (reads.query(delegatedRoutes, gateway)[route] ?? []).map((group) => ({
      key: routeGroupParent(group),
      hostnames: hostnamesOf(routeObject(reads, route)),
    }))
    const byHostnames = Map.groupBy([...listeners, ...groups], ({ hostnames }) => hostnames.join(' '))
    return [...byHostnames.values()].map((parents) => {
      const keys = [...new Set(parents.map((parent) => parent.key))].sort()
      return { id: hash('sha256', keys.join(' '), 'base64'), keys, hostnames: parents[0]?.hostnames ?? [] }
    })
  },
)

/** Those that a route of a group matches; an empty one stands for all. */
const hostnamesOf = (route: RouteObject | undefined): readonly string[] =>
  attempt(() => matchingHostnames('', route?.spec.hostnames)).value ?? []

/** The matches of a rule. */
export interface RuleMatchers {
  readonly rule: number
  readonly matches: readonly string[]
}

/**
 * The matches of the rules of a route as texts, which are equal for matches of the same requests. They are hashes: the
 * texts of all routes are compared after a change of any, and a match of a tenant may be 100 KB long.
 */
export const ruleMatchers: Query<readonly RuleMatchers[]> = defineQuery('ruleMatchers', (reads, route) =>
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
