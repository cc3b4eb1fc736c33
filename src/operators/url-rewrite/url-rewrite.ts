import type { Request } from '../../model/exchange/request.ts'
import type { AuthorityChange } from '../request-redirect/schema.ts'
import type { Rewrite } from './schema.ts'
import { applied } from '../trace-policy.ts'
import { changePath } from './path-modifier.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { parseAuthority, splitAuthority } from '../../protocols/http/authority.ts'

/** Sets the authority of a request: for later rules, and as the Host of the upstream request. */
export const setAuthority = (request: Request, authority: string): void => {
  request.authority = authority
  request.authorityFixed = true
  request.headers.set('host', authority)
}

/**
 * Changes authority and path of the upstream request. The query is kept.
 *
 * Without a change, and with `auto`, an upstream with a host name is called by it; `none` keeps the client's. Belongs
 * after the rules, which read the request as it was received.
 *
 * @throws Fault `prefix_match_required`, through the error channel.
 */
export const urlRewrite = ({ authority, path }: Rewrite): Operator => {
  const nextAuthority = authority === undefined ? undefined : changeAuthority(authority)
  const nextTarget = path && changePath(path, 'rewrite')
  return onRequest('rewrite', (x) => {
    const { request } = x
    if (nextTarget) {
      const target = nextTarget(request, x.match)
      request.path = target.path
      request.query = target.query
    }
    if (nextAuthority) setAuthority(request, nextAuthority(request))
    else if (authority === 'none') request.authorityFixed = true
    if (!x.probe) return
    x.probe.record(applied('url_rewrite', 'rewrote request URL'))
    x.probe.snapshot('url rewrite')
  })
}

const changeAuthority = (change: AuthorityChange): ((request: Request) => string) | undefined => {
  if (typeof change === 'string') return undefined
  if ('full' in change) {
    const full = parseAuthority(change.full)?.authority ?? change.full
    return () => full
  }
  if ('host' in change) {
    const { host } = change
    return (request) => {
      const { port } = splitAuthority(request.authority)
      return port === undefined ? host : `${host}:${port}`
    }
  }
  return (request) => `${splitAuthority(request.authority).host}:${change.port}`
}
