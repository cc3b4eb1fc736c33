import type { Redirect, RoutePolicies } from '../../../config/schema/file-types.gen.ts'
import type { Directive } from './directive.ts'
import type { NginxScope } from './nginx-scope.ts'
import { nginxText } from './nginx-text.ts'

/** Replies without a backend. */
export type LocalReplyPolicies = Pick<RoutePolicies, 'directResponse' | 'requestRedirect'>

/** The policy for `return`; undefined, and reported, if it cannot be translated. */
export const returnPolicy = (directive: Directive, scope: NginxScope): LocalReplyPolicies | undefined => {
  const { args, at } = directive
  const { report } = scope
  const [first = '', second] = args
  const isUrl = second === undefined && /^(?:https?:\/\/|\$scheme)/.test(first)
  const status = isUrl ? 302 : Number(first)
  const text = isUrl ? first : second
  if (status === 444) {
    report.changed(at, 'return 444', 'the connection is not closed without a reply: the reply is 403')
    return { directResponse: { status: 403 } }
  }
  if (REDIRECTS.has(status) && text !== undefined) {
    const redirect = redirectTo(text, status)
    if (!redirect)
      report.dropped(
        at,
        ['return', ...args].join(' '),
        'the target cannot be translated',
        'use requestRedirect',
      )
    else if (redirect.path && !text.includes('?'))
      report.changed(at, ['return', ...args].join(' '), 'the query of the request is kept')
    return redirect && { requestRedirect: redirect }
  }
  if (!(status >= 200 && status <= 599)) {
    report.dropped(at, ['return', ...args].join(' '), 'is no status that can be sent')
    return undefined
  }
  if (text === undefined) return { directResponse: { status } }
  const body = nginxText(text)
  if (body.kind === 'unknown') {
    report.dropped(at, `return ${first}`, `${body.variable} has no counterpart`)
    return undefined
  }
  const type = scope.value('default_type') ?? 'text/plain'
  const headers = { 'content-type': JSON.stringify(type) }
  return {
    directResponse: {
      status,
      ...(body.kind === 'literal' ? { body: body.text } : { bodyExpression: body.expression }),
      headers,
    },
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** A redirect to a URL of nginx, in which the host and the whole request URI may be variables. */
const redirectTo = (text: string, status: number): Redirect | undefined => {
  const match =
    /^(?:(https?|\$scheme):\/\/([^/$]+|\$host|\$http_host|\$server_name)(:\d+)?)?(\$request_uri|\/[^$?]*(?:\$request_uri)?)?\??$/.exec(
      text,
    )
  if (!match) return undefined
  const [, scheme, host, port, path = ''] = match
  const name = host?.startsWith('$') ? undefined : host
  const target = path.replace(/\$request_uri$/, '')
  if (target !== '' && path.endsWith('$request_uri') && target !== '/') return undefined
  return {
    ...(scheme === undefined || scheme === '$scheme' ? {} : { scheme: scheme as 'http' | 'https' }),
    ...authority(name, port, scheme),
    ...(target === '' || path.endsWith('$request_uri') ? {} : { path: { full: target } }),
    status,
  }
}

/** Another scheme means its port as well, if the URL has none. */
const authority = (
  name: string | undefined,
  port: string | undefined,
  scheme: string | undefined,
): Pick<Redirect, 'authority'> => {
  if (name !== undefined) return { authority: { full: `${name}${port ?? ''}` } }
  if (port !== undefined) return { authority: { port: Number(port.slice(1)) } }
  if (scheme === 'https') return { authority: { port: 443 } }
  return {}
}

/** The redirect of a `rewrite` for every path, such as `rewrite ^ https://$host$request_uri? permanent`. */
export const wholeRedirect = ({ args }: Directive): Redirect | undefined => {
  const [pattern = '', replacement = '', flag] = args
  const status = redirectStatusOf(replacement, flag)
  if (status === undefined || !/^\^?(?:\/?\(?\.\*\)?\$?)?$/.test(pattern)) return undefined
  const path = pattern.includes('/') ? '/$1' : '$1'
  const isWhole = replacement.endsWith(path) && pattern.includes('(')
  return redirectTo(isWhole ? `${replacement.slice(0, -path.length)}$request_uri` : replacement, status)
}

/** `if ($host = …) { return 301 …; }` of a server, as Certbot writes it. */
export const hostRedirect = ({
  args,
  block = [],
}: Directive): { readonly hostname: string; readonly redirect: Redirect } | undefined => {
  const hostname = /^\(\s*\$(?:host|http_host)\s*=\s*([a-z0-9.-]+)\s*\)$/i.exec(args.join(' '))?.[1]
  const [reply, ...others] = block
  const [status, text] = reply?.args ?? []
  if (hostname === undefined || reply?.name !== 'return' || others.length > 0) return undefined
  if (text === undefined || !REDIRECTS.has(Number(status))) return undefined
  const redirect = redirectTo(text, Number(status))
  return redirect && { hostname: hostname.toLowerCase(), redirect }
}

/** Without a flag a URL is a temporary redirect, and a path is a rewrite. */
const redirectStatusOf = (replacement: string, flag: string | undefined): number | undefined => {
  if (flag === 'permanent') return 301
  return flag === 'redirect' || /^(?:https?|\$scheme):\/\//.test(replacement) ? 302 : undefined
}

/** A `rewrite` that replaces the prefix of a path. */
export interface PrefixRewrite {
  readonly from: string
  readonly to: string
  /** Scheme and authority of a redirect to another server. */
  readonly target: Pick<Redirect, 'scheme' | 'authority'>
  /** Undefined if the request is forwarded with the new path. */
  readonly redirectStatus: number | undefined
}

/** The prefix that a `rewrite` replaces; undefined if it does something else. */
export const prefixRewrite = ({ args }: Directive): PrefixRewrite | undefined => {
  const [pattern = '', replacement = '', flag] = args
  const from = /^\^(\/[A-Za-z0-9._~/-]*?)\/?\(?\.\*\)?\$?$/.exec(pattern)?.[1]
  const match = /^(?:(https?):\/\/([^/$]+))?(\/[A-Za-z0-9._~/-]*?)?\/?\$1$/.exec(replacement)
  if (from === undefined || !match) return undefined
  const [, scheme, host, to = ''] = match
  if (host === undefined && !replacement.startsWith('/')) return undefined
  const target = host === undefined ? {} : { scheme: scheme as 'http' | 'https', authority: { full: host } }
  return {
    from: from === '' ? '/' : from,
    to: to === '' ? '/' : to,
    target,
    redirectStatus: redirectStatusOf(replacement, flag),
  }
}
