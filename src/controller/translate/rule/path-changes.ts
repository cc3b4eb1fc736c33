import type * as File from '../../../config/schema/file-types.gen.ts'
import type { HTTPRouteFilter, HTTPRouteRule, PathModifier } from '../../kinds/http-route.ts'
import { checkedFormat } from './route-match.ts'
import { addUnsupported, type RuleContext } from './rule-context.ts'

type RequestRedirect = NonNullable<HTTPRouteFilter['requestRedirect']>
type UrlRewrite = NonNullable<HTTPRouteFilter['urlRewrite']>
type Matches = HTTPRouteRule['matches']

/**
 * A redirect. Without a port, that of the scheme is used; without a scheme either, that of the listener, whatever clients
 * have in their Host header.
 */
export const redirectFilter = (
  filter: RequestRedirect,
  matches: Matches,
  context: RuleContext,
): File.Redirect => {
  const { scheme, statusCode = 302, path } = filter
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https')
    addUnsupported(context, `redirect scheme "${scheme}" is not supported`)
  if (!STATUS_CODES.has(statusCode))
    addUnsupported(context, `redirect status code ${statusCode} is not supported`)
  const authority = redirectAuthority(filter)
  return {
    ...(scheme === 'http' || scheme === 'https' ? { scheme } : {}),
    ...(authority ? { authority } : {}),
    ...(path ? { path: pathChange(path, matches, context) } : {}),
    ...(scheme === undefined && filter.port === undefined ? { port: 'listener' } : {}),
    status: statusCode,
  }
}

/** A rewrite of host and path. Backends get the host of the request unless the rule says otherwise. */
export const rewriteFilter = (
  { hostname, path }: UrlRewrite,
  matches: Matches,
  context: RuleContext,
): File.Rewrite => ({
  authority: hostname === undefined ? 'none' : { full: hostname },
  ...(path ? { path: pathChange(path, matches, context) } : {}),
})

const redirectAuthority = ({
  scheme,
  hostname,
  port,
}: RequestRedirect): Exclude<File.AuthorityChange, string> | undefined => {
  if (hostname !== undefined) {
    if (port !== undefined) return { full: `${hostname}:${port}` }
    return scheme === undefined ? { host: hostname } : { full: hostname }
  }
  const ofScheme = scheme === undefined ? undefined : scheme === 'https' ? 443 : 80
  const changed = port ?? ofScheme
  return changed === undefined ? undefined : { port: changed }
}

const pathChange = (
  { type, replaceFullPath, replacePrefixMatch }: PathModifier,
  matches: Matches,
  context: RuleContext,
): File.PathChange => {
  if (type === 'ReplaceFullPath') {
    const path = replaceFullPath ?? ''
    return { full: checkedFormat('absolutePath', path.startsWith('/') ? path : `/${path}`, 'path', context) }
  }
  if (type !== 'ReplacePrefixMatch') addUnsupported(context, `path modifier "${type}" is not supported`)
  else if (!(matches ?? []).every(({ path }) => (path?.type ?? 'PathPrefix') === 'PathPrefix'))
    addUnsupported(context, 'ReplacePrefixMatch requires matches by path prefix')
  return { prefix: checkedFormat('replacementPath', replacePrefixMatch ?? '', 'path', context) }
}

const STATUS_CODES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
