import { inlinePolicyNames } from './listener-rows.ts'
import { matchText } from './match-text.ts'
import { dumpItems, type DumpMembers, dumpMembers, dumpText, dumpVariant } from '../json-access.ts'

/** A route, with what it matches and where it leads. */
export interface RouteRow {
  readonly listener: string
  readonly route: string
  readonly hosts: readonly string[]
  readonly matches: readonly string[]
  /** With their weights, if there are several. */
  readonly backends: readonly string[]
  readonly policies: readonly string[]
  readonly warnings: readonly string[]
  readonly key: string
}

/** All routes of listeners and route groups, in the order of the dump. */
export const routeRows = (dump: DumpMembers): readonly RouteRow[] => {
  const hosts = hostsByKey(dump)
  const ofListeners = dumpItems(dump.binds).flatMap((bind) =>
    dumpItems(dumpMembers(bind).listeners).flatMap((value) => {
      const listener = dumpMembers(value)
      const name = `${dumpText(listener.listenerName)}${portOf(dumpText(dumpMembers(bind).address))}`
      return rowsOfScope(
        name,
        [listener.routes, listener.tcpRoutes, listener.udpRoutes].flatMap(dumpItems),
        hosts,
      )
    }),
  )
  const { routeGroups, httpMesh, tcpMesh } = dumpMembers(dump.routes)
  const ofGroups = Object.entries(dumpMembers(routeGroups)).flatMap(([name, routes]) =>
    rowsOfScope(`group ${name}`, dumpItems(routes), hosts),
  )
  const ofMesh = [httpMesh, tcpMesh].flatMap((routes) => rowsOfScope('mesh', dumpItems(routes), hosts))
  return [...ofListeners, ...ofGroups, ...ofMesh]
}

const portOf = (address: string): string => /:\d+$/.exec(address)?.[0] ?? ''

/** Routes of one scope, in which the first of two with the same match gets all requests. */
const rowsOfScope = (
  listener: string,
  routes: readonly unknown[],
  hosts: ReadonlyMap<string, string>,
): RouteRow[] => {
  const claims = new Map<string, string>()
  return routes.map((value) => {
    const route = dumpMembers(value)
    const name = nameOfRoute(route)
    return {
      listener,
      route: name,
      hosts: dumpItems(route.hostnames).map(dumpText),
      matches: dumpItems(route.matches).map(matchText),
      backends: backendTexts(route, hosts),
      policies: inlinePolicyNames(route),
      warnings: shadowedMatches(route, name, claims),
      key: dumpText(route.key),
    }
  })
}

const nameOfRoute = ({ name, key, ruleName }: DumpMembers): string => {
  const base = dumpText(name) || dumpText(key)
  return dumpText(ruleName) === '' ? base : `${base}/${dumpText(ruleName)}`
}

const shadowedMatches = (route: DumpMembers, name: string, claims: Map<string, string>): string[] => {
  const hosts = route.hostnames === undefined ? [''] : dumpItems(route.hostnames).map(dumpText)
  const matches = dumpItems(route.matches)
  const warnings = new Set<string>()
  for (const match of matches.length === 0 ? [{}] : matches)
    for (const host of hosts) {
      const key = `${host}\n${matchText(match)}`
      const earlier = claims.get(key)
      if (earlier === undefined) claims.set(key, name)
      else if (earlier !== name) warnings.add(`shadowed by ${earlier}: ${matchText(match) || 'same host'}`)
    }
  return [...warnings]
}

/** Backends that are one address are shown as that; their generated names are long. */
const hostsByKey = (dump: DumpMembers): ReadonlyMap<string, string> =>
  new Map(
    dumpItems(dump.backends).flatMap((value) => {
      const { name, namespace, target } = dumpMembers(dumpMembers(dumpMembers(value).backend).host)
      return typeof target === 'string' ? [[`${dumpText(namespace)}/${dumpText(name)}`, target] as const] : []
    }),
  )

const backendTexts = ({ backends }: DumpMembers, hosts: ReadonlyMap<string, string>): string[] => {
  const list = dumpItems(backends).map(dumpMembers)
  return list.map((item) => {
    const { weight, priority: _, inlinePolicies: __, ...target } = item
    const key = targetText(target)
    const text = hosts.get(key) ?? key
    return list.length > 1 && weight !== undefined ? `${text} (${JSON.stringify(weight)})` : text
  })
}

/** The target of a weighted backend: a key, a service with its port, a route group. */
const targetText = (target: DumpMembers): string => {
  const [kind, value] = dumpVariant(target)
  if (kind === 'backend') return typeof value === 'string' ? value : targetText(dumpMembers(value))
  if (kind === 'invalid') return 'invalid'
  const { name, namespace, port } = dumpMembers(value)
  const names = [namespace, name].map((part) => dumpText(dumpMembers(part).hostname ?? part))
  const path = names.filter((part) => part !== '').join('/') || dumpText(value)
  return `${kind} ${path}${typeof port === 'number' ? `:${String(port)}` : ''}`
}
