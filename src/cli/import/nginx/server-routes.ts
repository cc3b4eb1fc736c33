import type { AttachedRoute } from '../../../config/schema/file-types.gen.ts'
import type { Directive } from './directive.ts'
import { locationPath, type LocationPath, rankedMatches } from './location-match.ts'
import { type LocationContext, locationRoute } from './location-route.ts'
import type { NginxScope } from './nginx-scope.ts'
import { prefixRewrite } from './local-replies.ts'

/** The routes of a server. */
export const serverRoutes = (
  server: NginxScope,
  name: string,
  gateways: readonly string[],
  context: LocationContext,
): readonly AttachedRoute[] => {
  const located = server.block.some((one) => one.name === 'return') ? [] : locations(server)
  const ranked = rankedMatches(
    located.map(({ path }) => path),
    (index) => located[index]?.scope.block.some((one) => RESTRICTING.has(one.name)) ?? false,
  )
  const routes: AttachedRoute[] = redirects(server)
  for (const [index, { directive, path, scope }] of located.entries()) {
    const route = locationRoute(path, ranked[index] ?? { pathPrefix: '/' }, scope, context)
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
  if (!isWhole) {
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
])

interface LocationOfServer {
  readonly directive: Directive
  readonly path: LocationPath
  readonly scope: NginxScope
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
        'is reached by other directives of nginx only',
      )
      for (const one of inner.block) inner.use(one)
      return []
    }
    return [{ directive, path, scope: inner }, ...locations(inner)]
  })

/** `rewrite … permanent` of a server, which runs before locations are chosen. */
const redirects = (server: NginxScope): AttachedRoute[] =>
  server.own('rewrite').flatMap((directive) => {
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
    const { from, to, redirectStatus } = rewrite
    return [
      {
        matches: [{ path: { pathPrefix: from } }],
        policies: { requestRedirect: { path: { prefix: to }, status: redirectStatus } },
      },
    ]
  })
