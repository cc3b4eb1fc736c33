import { type Authority, parseAuthority } from './authority.ts'
import { type HeadRefusal, headRefusals } from './head-error.ts'
import type { PathRules } from './path-rules.ts'
import { type NormalTarget, normalizeTarget } from './path.ts'

/** A request target of any form (RFC 9112 section 3.2), reduced to its forwarded parts. */
export interface RequestTarget {
  /** For an absolute target only. */
  readonly scheme: 'http' | 'https' | undefined
  /** For an absolute target or CONNECT. */
  readonly authority: Authority | undefined
  /** `*` for the asterisk form, empty for CONNECT. */
  readonly path: string
  readonly query: string
  /** `path` and `query` together. */
  readonly target: string
}

/**
 * Parses targets that are not plain paths: `*` (OPTIONS only), `host:port` (CONNECT only), and absolute URLs
 * with http or https, which are reduced to their path.
 */
export const readUnusualTarget = (
  method: string,
  target: string,
  rules: PathRules,
): RequestTarget | HeadRefusal => {
  if (method === 'CONNECT') return readAuthorityForm(target)
  if (target === '*')
    return method === 'OPTIONS' ? asterisk(undefined, undefined) : headRefusals.target_form_not_allowed
  const scheme = schemeOf(target)
  if (!scheme)
    return headRefusals[
      parseAuthority(target)?.port === undefined ? 'malformed_target' : 'target_form_not_allowed'
    ]
  const start = scheme.length + 3
  const end = endOfAuthority(target, start)
  const authority = parseAuthority(target.slice(start, end))
  if (!authority) return headRefusals.malformed_target
  // An OPTIONS request for a URL without path is about the server as a whole (RFC 9112 section 3.2.4).
  if (end === target.length && method === 'OPTIONS') return asterisk(scheme, authority)
  const rest = target.slice(end)
  const normal = normalizeTarget(rest.startsWith('/') ? rest : `/${rest}`, rules)
  return typeof normal === 'string' ? headRefusals[normal] : withAuthority(normal, scheme, authority)
}

const readAuthorityForm = (target: string): RequestTarget | HeadRefusal => {
  const authority = parseAuthority(target)
  if (!authority)
    return headRefusals[
      target.includes('/') || target === '*' ? 'target_form_not_allowed' : 'malformed_target'
    ]
  if (authority.port === undefined) return headRefusals.malformed_target
  return { scheme: undefined, authority, path: '', query: '', target: authority.authority }
}

const asterisk = (scheme: 'http' | 'https' | undefined, authority: Authority | undefined): RequestTarget => ({
  scheme,
  authority,
  path: '*',
  query: '',
  target: '*',
})

const withAuthority = (
  { path, query, target }: NormalTarget,
  scheme: 'http' | 'https',
  authority: Authority,
): RequestTarget => ({ scheme, authority, path, query, target })

const schemeOf = (target: string): 'http' | 'https' | undefined => {
  const start = target.slice(0, 8).toLowerCase()
  if (start.startsWith('http://')) return 'http'
  return start === 'https://' ? 'https' : undefined
}

const endOfAuthority = (target: string, start: number): number => {
  for (let i = start; i < target.length; i++) {
    const character = target[i]
    if (character === '/' || character === '?' || character === '#') return i
  }
  return target.length
}
