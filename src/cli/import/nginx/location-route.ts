import type { AttachedRoute, PathMatch, RoutePolicies } from '../../../config/schema/file-types.gen.ts'
import { nginxAccess } from './access-policies.ts'
import type { Directive } from './directive.ts'
import { headerPolicies } from './header-policies.ts'
import { prefixRewrite, returnPolicy, wholeRedirect } from './local-replies.ts'
import type { LocationPath } from './location-match.ts'
import type { NginxScope } from './nginx-scope.ts'
import { type ProxyTarget, proxyTarget } from './proxy-backends.ts'
import { nginxTraffic } from './traffic-policies.ts'

/** What the routes of a server have in common. */
export interface LocationContext {
  readonly upstreams: ReadonlyMap<string, Directive>
  /** Called if a location continues X-Forwarded-For, which is a setting of the process here. */
  readonly onForwarded: () => unknown
}

/** A location as a route, apart from its name and its gateways. */
export const locationRoute = (
  location: LocationPath,
  match: PathMatch,
  scope: NginxScope,
  context: LocationContext,
): AttachedRoute => {
  const matches = location.kind !== 'exact' && location.path === '/' ? {} : { matches: [{ path: match }] }
  const access = nginxAccess(scope)
  const headers = headerPolicies(scope)
  const { requestHeaderModifier: _, transformations, ...response } = headers.policies
  const { responseHeaderModifier } = response
  const fixed = scope.own('return')[0] ?? scope.inherited('return')[0]
  if (fixed) {
    const reply = returnPolicy(fixed, scope) ?? NOT_IMPORTED
    return {
      ...matches,
      policies: { ...(responseHeaderModifier ? { responseHeaderModifier } : {}), ...access, ...reply },
    }
  }
  const pass = scope.own('proxy_pass', 'grpc_pass')[0]
  const target = pass && proxyTarget(pass, scope, context.upstreams)
  const rewrite = rewritePolicy(location, scope, target?.uri)
  if (rewrite?.requestRedirect) {
    const { requestRedirect } = rewrite
    return {
      ...matches,
      policies: { ...(responseHeaderModifier ? { responseHeaderModifier } : {}), ...access, requestRedirect },
    }
  }
  if (!target || !rewrite) {
    const closed: AttachedRoute = { ...matches, policies: { ...access, ...NOT_IMPORTED } }
    scope.report.comment(closed, 'Not carried over: replies 503, so that no other route serves these paths.')
    return closed
  }
  if (headers.appendsForwarded) context.onForwarded()
  const authority =
    headers.host === 'keep'
      ? {}
      : { authority: { full: headers.host === 'default' ? hostOf(target) : headers.host.full } }
  const urlRewrite = { ...authority, ...rewrite.urlRewrite }
  const policies: RoutePolicies = {
    ...headers.policies,
    ...(transformations ? { transformations } : {}),
    ...access,
    ...(Object.keys(urlRewrite).length > 0 ? { urlRewrite } : {}),
    ...nginxTraffic(scope, target),
    ...target.policies,
  }
  return {
    ...matches,
    ...(Object.keys(policies).length > 0 ? { policies } : {}),
    backends: target.backends,
  }
}

const NOT_IMPORTED: RoutePolicies = { directResponse: { status: 503, body: 'not imported' } }

const hostOf = ({ host }: ProxyTarget): string => (host.startsWith('unix:') ? 'localhost' : host)

/** Undefined, and reported, if the new path leads to another location. */
const rewritePolicy = (
  location: LocationPath,
  scope: NginxScope,
  uri: string | undefined,
): Pick<RoutePolicies, 'urlRewrite' | 'requestRedirect'> | undefined => {
  for (const directive of scope.own('rewrite')) {
    const whole = wholeRedirect(directive)
    if (whole) return { requestRedirect: whole }
    const rewrite = prefixRewrite(directive)
    const subject = ['rewrite', ...directive.args].join(' ')
    if (rewrite?.redirectStatus === undefined && directive.args[2] !== 'break') {
      scope.report.dropped(
        directive.at,
        subject,
        'locations are not searched again for the new path',
        'use urlRewrite in a route with the backends of the other location',
      )
      return undefined
    }
    if (!rewrite || !isSamePrefix(rewrite.from, location)) {
      scope.report.dropped(
        directive.at,
        subject,
        'only a rewrite of the prefix of the location is carried over',
        'use urlRewrite, or transformations that set :path',
      )
      continue
    }
    const path = { prefix: rewrite.to }
    return rewrite.redirectStatus === undefined
      ? { urlRewrite: { path } }
      : { requestRedirect: { ...rewrite.target, path, status: rewrite.redirectStatus } }
  }
  if (uri === undefined || uri === location.path) return {}
  if (location.kind === 'exact') return { urlRewrite: { path: { full: uri } } }
  return location.kind === 'regex' ? {} : { urlRewrite: { path: { prefix: uri } } }
}

const isSamePrefix = (from: string, { kind, path }: LocationPath): boolean =>
  kind === 'prefix' && (from === path || `${from}/` === path || from === `${path}/`)
