import type { AttachedRoute } from '../../../config/schema/file-types.gen.ts'
import type { Directive } from './directive.ts'
import {
  isKnownExpression,
  locationPath,
  type LocationPath,
  rankedMatches,
  widerExpression,
} from './location-match.ts'
import { type LocationContext, locationRoute } from './location-route.ts'
import type { NginxScope } from './nginx-scope.ts'
import { hostRedirect, prefixRewrite, wholeRedirect } from './local-replies.ts'

/** The routes of a server. */
export const serverRoutes = (
  block: NginxScope,
  name: string,
  gateways: readonly string[],
  context: LocationContext,
): readonly AttachedRoute[] => {
  const hosts = block.own('if').filter((one) => hostRedirect(one) !== undefined)
  const server = block.without(hosts)
  const whole = server.own('rewrite').flatMap((one) => wholeRedirect(one) ?? [])[0]
  const located = whole || server.block.some((one) => one.name === 'return') ? [] : locations(server)
  const ranked = rankedMatches(
    located.map(({ path }) => path),
    (index) => located[index]?.scope.block.some((one) => RESTRICTING.has(one.name)) ?? false,
  )
  const routes = [...hostRedirects(hosts, server), ...redirects(server)]
  for (const [index, { directive, path, scope, isInternal, isClosed }] of located.entries()) {
    const match = ranked[index] ?? { pathPrefix: '/' }
    const refusal = isInternal ? 404 : isClosed ? 403 : undefined
    const route: AttachedRoute =
      refusal === undefined
        ? locationRoute(path, match, scope, context)
        : { matches: [{ path: match }], policies: { directResponse: { status: refusal } } }
    if (
      path.kind !== 'exact' &&
      path.kind !== 'regex' &&
      !path.path.endsWith('/') &&
      'pathPrefix' in (ranked[index] ?? {})
    )
      server.report.changed(
        directive.at,
        `location ${directive.args.join(' ')}`,
        `matches ${path.path} and the paths below it, not ${path.path}x`,
      )
    routes.push(route)
    server.report.comment(
      route,
      `${server.report.file}:${String(directive.at.line)}: location ${directive.args.join(' ')}`,
    )
    server.report.origin(route, directive.at)
  }
  const isWhole = located.some(({ path }) => path.kind === 'prefix' && path.path === '/')
  if (whole) routes.push({ policies: { requestRedirect: whole } })
  else if (!isWhole) {
    const rest = locationRoute({ kind: 'prefix', path: '/' }, { pathPrefix: '/' }, server, context)
    if (located.length > 0) server.report.comment(rest, 'Paths without a location.')
    routes.push(rest)
  }
  return routes.map((route, index) => {
    const named: AttachedRoute = { name: `${name}-${String(index + 1)}`, gateways: [...gateways], ...route }
    for (const comment of server.report.commentOf(route)) server.report.comment(named, comment)
    const origin = server.report.originOf(route)
    if (origin) server.report.origin(named, origin)
    return named
  })
}

/** Directives that restrict access to a location. */
const RESTRICTING: ReadonlySet<string> = new Set([
  'allow',
  'deny',
  'auth_basic',
  'auth_request',
  'auth_jwt',
  'if',
  'satisfy',
  'secure_link',
  'limit_except',
  'internal',
])

interface LocationOfServer {
  readonly directive: Directive
  readonly path: LocationPath
  readonly scope: NginxScope
  /** Whether clients get 404 for its paths; without a route, another location would serve them. */
  readonly isInternal: boolean
  /** Whether all of its requests are refused, because it had access rules and could not be converted. */
  readonly isClosed?: boolean
}

/** Locations, those within others included. */
const locations = (scope: NginxScope): readonly LocationOfServer[] =>
  scope.own('location').flatMap((directive) => {
    const inner = scope.inside(directive.block ?? [])
    const path = locationPath(directive)
    const isInternal = inner.own('internal').length > 0
    if (!path || isInternal) {
      scope.report.dropped(
        directive.at,
        `location ${directive.args.join(' ')}`,
        path
          ? 'is reached by other directives of nginx only: clients get 404'
          : 'is reached by other directives of nginx only',
      )
      for (const one of inner.block) inner.use(one)
      if (!path) return []
      const isKnown = path.kind !== 'regex' || isKnownExpression(path.path)
      const wider = isKnown ? path : { kind: path.kind, path: widerExpression(path.path) }
      return [{ directive, path: wider, scope: inner, isInternal }]
    }
    const isRestricted = inner.block.some(({ name }) => RESTRICTING.has(name))
    if (path.kind === 'regex' && isRestricted && !isKnownExpression(path.path)) {
      scope.report.closed(
        directive.at,
        `location ${directive.args.join(' ')}`,
        'this expression is not known: a wider one denies everything',
        'write it without look-around, or as several locations',
      )
      for (const one of inner.block) inner.use(one)
      const wider = { kind: 'regex', path: widerExpression(path.path) } as const
      return [{ directive, path: wider, scope: inner, isInternal, isClosed: true }]
    }
    return [{ directive, path, scope: inner, isInternal }, ...locations(inner)]
  })

/** `rewrite … permanent` of a server, which runs before locations are chosen. */
const redirects = (server: NginxScope): AttachedRoute[] =>
  server.own('rewrite').flatMap((directive) => {
    if (wholeRedirect(directive)) return []
    const rewrite = prefixRewrite(directive)
    if (rewrite?.redirectStatus === undefined) {
      server.report.dropped(
        directive.at,
        ['rewrite', ...directive.args].join(' '),
        'only redirects of a prefix are carried over for a whole server',
        'use urlRewrite in a route',
      )
      return []
    }
    const { from, to, target, redirectStatus } = rewrite
    return [
      {
        matches: [{ path: { pathPrefix: from } }],
        policies: { requestRedirect: { ...target, path: { prefix: to }, status: redirectStatus } },
      },
    ]
  })

/** Redirects of one of the names of a server: a host name counts more than any path. */
const hostRedirects = (conditions: readonly Directive[], server: NginxScope): readonly AttachedRoute[] =>
  conditions.flatMap((directive) => {
    for (const inner of directive.block ?? []) server.use(inner)
    const found = hostRedirect(directive)
    if (!found) return []
    const route: AttachedRoute = {
      hostnames: [found.hostname],
      policies: { requestRedirect: found.redirect },
    }
    server.report.comment(
      route,
      `${server.report.file}:${String(directive.at.line)}: if ${directive.args.join(' ')}`,
    )
    server.report.origin(route, directive.at)
    return [route]
  })
