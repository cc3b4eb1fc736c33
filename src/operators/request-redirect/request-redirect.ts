import { Headers } from '../model/headers.ts'
import type { AuthorityChange, Redirect } from '../model/policies.ts'
import { respond } from '../model/reply.ts'
import type { Request } from '../model/request.ts'
import { onRequest, type Operator } from '../pipeline/stage.ts'
import { type AuthorityParts, splitAuthority } from './authority-parts.ts'
import { changePath } from './change-path.ts'
import { applied } from './policy-note.ts'

/**
 * Sends the client elsewhere, to an absolute URL made from the one it asked for.
 *
 * What is not changed stays, with two exceptions: a port that is the default of the scheme is left out, and another
 * scheme does not inherit the old one's port. `auto` and `none` for the authority keep the client's: a browser cannot be
 * sent to a backend it does not see. Belongs after authentication and rules, in place of a backend.
 *
 * @throws Fault `prefix_match_required`, through the error channel.
 */
export const redirect = (policy: Redirect): Operator => {
  const nextTarget = policy.path && changePath(policy.path, 'redirect')
  const nextParts = changeParts(policy.authority)
  return onRequest('redirect', (x) => {
    const { request } = x
    const scheme = policy.scheme ?? request.scheme
    const { host, port } = nextParts(request, scheme !== request.scheme)
    const asked = { path: request.received.path, query: request.query }
    const { path, query } = nextTarget ? nextTarget(asked, x.match) : asked
    const authority = port === undefined || port === DEFAULT_PORTS[scheme] ? host : `${host}:${port}`
    x.probe?.note(applied('request_redirect', `redirected with status ${policy.status}`))
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
