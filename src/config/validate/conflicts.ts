import type { Match } from '../../model/resources.ts'
import { hostnames } from '../normalize/hostname.ts'
import { mergesSlashes } from '../normalize/paths.ts'
import { match as normalizeMatch } from '../normalize/routes.ts'
import { child } from '../instance-path.ts'
import { httpRoutes, tcpRoutes } from './sites.ts'
import type { HttpSite } from './sites.ts'
import type { Examine, View } from './view.ts'

/**
 * Routes that can never be chosen, because another one of the same listener and host takes the same requests. It is
 * legal (the first in the file wins), but a common cause of a wrong backend.
 */
export const examineConflicts: Examine = (view) => {
  const first = new Map<string, { readonly route: HttpSite; readonly pointer: string }>()
  const told = new Set<string>()
  const rules = { mergeSlashes: mergesSlashes(view.file) }
  for (const route of httpRoutes(view)) {
    const matches = view.items(route.value.matches ?? [{}], child(route.pointer, 'matches'))
    for (const { value, pointer } of matches) {
      const canonical = canonicalMatch(normalizeMatch(value, rules))
      for (const scope of scopes(route)) {
        for (const host of hostsOf(route.value.hostnames)) {
          const key = `${scope}\n${host}\n${canonical}`
          const earlier = first.get(key)
          if (earlier === undefined) first.set(key, { route, pointer })
          else if (earlier.route !== route && !told.has(pointer)) {
            told.add(pointer)
            tell(view, route, pointer, earlier.route, scope, host)
          }
        }
      }
    }
  }
  examineTcp(view)
  examineHosts(view)
}

function tell(
  view: View,
  later: HttpSite,
  pointer: string,
  earlier: HttpSite,
  scope: string,
  host: string,
): void {
  const bare = later.value.matches === undefined
  const at = bare || later.isSection === true ? later.pointer : pointer
  const index = Number(pointer.slice(pointer.lastIndexOf('/') + 1))
  const section =
    later.isSection === true ? ` at ${later.value.matches?.[index]?.path?.pathPrefix ?? ''}` : ''
  const here = `${view.document.display(at)}${section}`
  const there = view.document.display(earlier.pointer)
  const where = `${scope}${host === '' ? '' : `, host ${host}`}`
  const why =
    bare && earlier.value.matches === undefined
      ? 'both take every path'
      : bare || earlier.value.matches === undefined
        ? 'one of them has no matches, which means the prefix "/"'
        : 'both have the same matcher'
  view.warning(
    at,
    'identical_matchers',
    `${here} is never chosen: on ${where}, ${there} (${earlier.name}) comes first and ${why}`,
  )
}

function examineTcp(view: View): void {
  const first = new Map<string, string>()
  for (const route of tcpRoutes(view)) {
    for (const { label } of route.listeners) {
      for (const host of hostsOf(route.value.hostnames)) {
        const key = `${label}\n${host}`
        const earlier = first.get(key)
        if (earlier === undefined) first.set(key, route.pointer)
        else if (earlier !== route.pointer) {
          const there = view.document.display(earlier)
          const where = host === '' ? label : `${label}, host ${host}`
          const here = view.document.display(route.pointer)
          view.warning(
            route.pointer,
            'identical_matchers',
            `${here} is never chosen: on ${where}, ${there} comes first`,
          )
          break
        }
      }
    }
  }
}

/** Routes whose hosts none of their listeners takes. */
function examineHosts(view: View): void {
  for (const route of [...httpRoutes(view), ...tcpRoutes(view)]) {
    const hosts = hostnames(route.value.hostnames)
    if (hosts.length === 0 || route.listeners.length === 0) continue
    if (route.listeners.some((listener) => hosts.some((host) => meet(host, listener.hostname)))) continue
    const here = view.document.display(route.pointer)
    const where = route.listeners.map(({ label, hostname }) => `${label} (${hostname})`).join(', ')
    view.warning(
      child(route.pointer, 'hostnames'),
      'unreachable_hostnames',
      `${here} is never chosen: none of its hosts is taken by ${where}`,
    )
  }
}

/** Whether some host fits both patterns. */
function meet(a: string, b: string): boolean {
  if (a === '' || b === '' || a === b) return true
  return covers(a, b) || covers(b, a)
}

function covers(pattern: string, name: string): boolean {
  return pattern.startsWith('*.') && name.endsWith(pattern.slice(1)) && name.length > pattern.length - 1
}

function scopes(route: HttpSite): readonly string[] {
  if (route.group !== undefined) return [`route group ${route.group}`]
  return route.listeners.map(({ label }) => label)
}

function hostsOf(written: readonly string[] | undefined): readonly string[] {
  const hosts = hostnames(written)
  return hosts.length === 0 ? [''] : hosts
}

/** Equal texts for matchers that take the same requests, in whatever order their conditions are written. */
function canonicalMatch({ path, method, headers, query }: Match): string {
  const sorted = (list: Match['headers']): readonly string[] =>
    (list ?? []).map(({ name, value }) => JSON.stringify([name, value])).sort()
  // `/a` and `/a/` are the same prefix.
  const place = 'pathPrefix' in path ? { pathPrefix: path.pathPrefix.replace(/\/+$/, '') } : path
  return JSON.stringify([place, method, sorted(headers), sorted(query)])
}
