import type { Match } from '../../../model/resources/resources.ts'
import { hostnames } from '../../../streams/http/port/normalize/hostname.ts'
import { mergesSlashes } from '../../../streams/http/frontend/normalize/path-normalization.ts'
import { sortedByPrecedence } from '../../../config/resource-precedence.ts'
import { match as normalizeMatch } from '../normalize/match.ts'
import { resourcePrecedence } from '../normalize/precedence.ts'
import { child } from '../../../config/document/json-pointer.ts'
import {
  httpRoutes,
  type HttpRouteLocation,
  tcpRoutes,
  udpRoutes,
} from '../../../config/validate/route-locations.ts'
import type { Check, ValidationContext } from '../../../config/validate/context.ts'

/**
 * Checks for routes that can never be selected, because another one of the same listener and host matches the same
 * requests. Legal (the first in the file is selected), but a common cause of a wrong backend.
 */
export const checkShadowedRoutes: Check = (view) => {
  examineHttp(view)
  examineTcp(view)
  examineUdp(view)
}

/** The requests of one match of a route. */
interface Claim {
  readonly route: HttpRouteLocation
  /** The location of the match. */
  readonly pointer: string
  /** A listener, or a route group. */
  readonly scope: string
  /** Empty matches any. */
  readonly host: string
  /** Equal for matches of the same requests. */
  readonly key: string
}

function examineHttp(view: ValidationContext): void {
  const first = new Map<string, Claim>()
  const reported = new Set<string>()
  for (const route of inOrder(httpRoutes(view)))
    for (const claim of claimsOf(view, route)) {
      const earlier = first.get(claim.key)
      if (earlier === undefined) first.set(claim.key, claim)
      else if (earlier.route !== route && !reported.has(claim.pointer)) {
        reported.add(claim.pointer)
        report(view, claim, earlier.route)
      }
    }
}

/** As the gateway compares routes that match the same requests. */
function inOrder(routes: readonly HttpRouteLocation[]): readonly HttpRouteLocation[] {
  return sortedByPrecedence(
    routes.map((route) => {
      const { precedence } = route.value
      return precedence ? { route, precedence: resourcePrecedence(precedence) } : { route }
    }),
  ).map(({ route }) => route)
}

function* claimsOf(view: ValidationContext, route: HttpRouteLocation): Generator<Claim> {
  const rules = { mergeSlashes: mergesSlashes(view.file) }
  const hosts = hostsOf(route.value.hostnames)
  for (const { value, pointer } of view.items(route.value.matches ?? [{}], child(route.pointer, 'matches'))) {
    const canonical = canonicalMatch(normalizeMatch(value, rules))
    for (const scope of scopes(route))
      for (const host of hosts) yield { route, pointer, scope, host, key: `${scope}\n${host}\n${canonical}` }
  }
}

function report(
  view: ValidationContext,
  { route: later, pointer, scope, host }: Claim,
  earlier: HttpRouteLocation,
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

/** The first UDP route of a listener gets everything. */
function examineUdp(view: ValidationContext): void {
  const first = new Map<string, string>()
  for (const route of udpRoutes(view))
    for (const { label } of route.listeners) {
      const earlier = first.get(label)
      if (earlier === undefined) first.set(label, route.pointer)
      else {
        const there = view.document.display(earlier)
        const here = view.document.display(route.pointer)
        const message = `${here} is never chosen: on ${label}, ${there} comes first`
        view.warning(route.pointer, 'identical_matchers', message)
        break
      }
    }
}

function examineTcp(view: ValidationContext): void {
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

function scopes(route: HttpRouteLocation): readonly string[] {
  if (route.group !== undefined) return [`route group ${route.group}`]
  return route.listeners.map(({ label }) => label)
}

function hostsOf(written: readonly string[] | undefined): readonly string[] {
  const hosts = hostnames(written)
  return hosts.length === 0 ? [''] : hosts
}

/** Equal texts for matchers of the same requests, whatever the order of their conditions. */
function canonicalMatch({ path, method, headers, query }: Match): string {
  const sorted = (list: Match['headers']): readonly string[] =>
    (list ?? []).map(({ name, value }) => JSON.stringify([name, value])).sort()
  // `/a` and `/a/` are the same prefix.
  const canonicalPath = 'pathPrefix' in path ? { pathPrefix: path.pathPrefix.replace(/\/+$/, '') } : path
  return JSON.stringify([canonicalPath, method, sorted(headers), sorted(query)])
}
