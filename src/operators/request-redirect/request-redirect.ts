import { Headers } from '../../model/exchange/headers.ts'
import type { AuthorityChange, Redirect } from './schema.ts'
import { respond } from '../../model/exchange/reply.ts'
import type { Request } from '../../model/exchange/request.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { type AuthorityParts, splitAuthority } from '../../protocols/http/authority.ts'
import { changePath } from '../url-rewrite/path-modifier.ts'
import { applied } from '../trace-policy.ts'

/**
 * Redirects the client to an absolute URL made from the requested one.
 *
 * What is not changed stays, with two exceptions: the default port of the scheme is left out, and another scheme does
 * not inherit the port of the old one. `auto` and `none` for the authority keep the client's: a browser cannot be
 * redirected to a backend it cannot reach. Belongs after authentication and rules, in place of a backend.
 *
 * @throws Fault `prefix_match_required`, through the error channel.
 */
export const requestRedirect = (policy: Redirect): Operator => {
  const nextTarget = policy.path && changePath(policy.path, 'redirect')
  const nextParts = changeParts(policy.authority)
  return onRequest('redirect', (x) => {
    const { request } = x
    const scheme = policy.scheme ?? request.scheme
    const { host, port } = nextParts(request, scheme !== request.scheme)
    const requested = { path: request.received.path, query: request.query }
    const { path, query } = nextTarget ? nextTarget(requested, x.match) : requested
    const authority = port === undefined || port === DEFAULT_PORTS[scheme] ? host : `${host}:${port}`
    x.probe?.record(applied('request_redirect', `redirected with status ${policy.status}`))
    return respond(policy.status, '', new Headers(['location', `${scheme}://${authority}${path}${query}`]))
  })
}

const DEFAULT_PORTS = { http: '80', https: '443' } as const

const changeParts = (
  change: AuthorityChange | undefined,
): ((request: Request, schemeChanges: boolean) => AuthorityParts) => {
  if (change === undefined || typeof change === 'string') return keptParts
  if ('full' in change) {
    const parts = splitAuthority(change.full)
    return () => parts
  }
  if ('host' in change)
    return (request, schemeChanges) => ({ host: change.host, port: keptParts(request, schemeChanges).port })
  const port = String(change.port)
  return (request) => ({ host: splitAuthority(request.received.authority).host, port })
}

const keptParts = (request: Request, schemeChanges: boolean): AuthorityParts => {
  const parts = splitAuthority(request.received.authority)
  return schemeChanges ? { host: parts.host, port: undefined } : parts
}
