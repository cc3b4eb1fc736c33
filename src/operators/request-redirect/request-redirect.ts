import { Headers } from '../../model/exchange/headers.ts'
import type { Redirect } from './schema.ts'
import { respond } from '../../model/exchange/reply.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { type AuthorityParts, splitAuthority } from '../../protocols/http/authority.ts'
import { changePath } from '../url-rewrite/path-modifier.ts'
import { applied } from '../trace-policy.ts'

/**
 * Redirects the client to an absolute URL made from the requested one.
 *
 * What is not changed stays, with two exceptions: the default port of the scheme is left out, and another scheme does
 * not inherit the port of the old one. With `port: listener`, a port that is not changed is the listener's, whatever the
 * client has sent. `auto` and `none` for the authority keep the client's: a browser cannot be
 * redirected to a backend it cannot reach. Belongs after authentication and rules, in place of a backend.
 *
 * @throws Fault `prefix_match_required`, through the error channel.
 */
export const requestRedirect = (policy: Redirect): Operator => {
  const nextTarget = policy.path && changePath(policy.path, 'redirect')
  const nextParts = changeParts(policy)
  return onRequest('redirect', (x) => {
    const { request } = x
    const scheme = policy.scheme ?? request.scheme
    const { host, port } = nextParts(x, scheme !== request.scheme)
    const requested = { path: request.received.path, query: request.query }
    const { path, query } = nextTarget ? nextTarget(requested, x.match) : requested
    const authority = port === undefined || port === DEFAULT_PORTS[scheme] ? host : `${host}:${port}`
    x.probe?.record(applied('request_redirect', `redirected with status ${policy.status}`))
    return respond(policy.status, '', new Headers(['location', `${scheme}://${authority}${path}${query}`]))
  })
}

const DEFAULT_PORTS = { http: '80', https: '443' } as const

/** Host and port of the target. */
type NextParts = (x: Exchange, schemeChanges: boolean) => AuthorityParts

const changeParts = ({ authority: change, port: kept }: Redirect): NextParts => {
  const keptParts = kept === 'listener' ? partsOfListener : partsOfRequest
  if (change === undefined || typeof change === 'string') return keptParts
  if ('full' in change) {
    const parts = splitAuthority(change.full)
    return () => parts
  }
  if ('host' in change)
    return (x, schemeChanges) => ({ host: change.host, port: keptParts(x, schemeChanges).port })
  const port = String(change.port)
  return (x) => ({ host: splitAuthority(x.request.received.authority).host, port })
}

const partsOfRequest: NextParts = ({ request }, schemeChanges) => {
  const parts = splitAuthority(request.received.authority)
  return schemeChanges ? { host: parts.host, port: undefined } : parts
}

/** A listener without a port, such as that of a unix socket, leaves the port of the request. */
const partsOfListener: NextParts = (x, schemeChanges) => {
  const parts = partsOfRequest(x, schemeChanges)
  const configured = x.snapshot.binds.get(x.labels.bind)?.resource.port
  // Any free port was asked for: the connection has it.
  const port = configured === 0 ? x.request.connection.destinationPort : configured
  return schemeChanges || port === undefined ? parts : { host: parts.host, port: String(port) }
}
