import type { HeaderModifier } from './schema.ts'
import { parseAuthority } from '../../protocols/http/authority.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { editHeaders } from './header-modifier.ts'
import { applied } from '../trace-policy.ts'
import { setAuthority } from '../url-rewrite/url-rewrite.ts'

/**
 * Adds, sets and removes header fields of the request, in this order. To add or set `host` changes the authority, and
 * it cannot be removed. Framing and connection fields are protected.
 *
 * Belongs after the rules that read the request as the client sent it, and before the backend. Several are all
 * applied.
 */
export const modifyRequestHeaders = (modifier: HeaderModifier): Operator => {
  const edit = editHeaders(modifier)
  const named = [...modifier.add, ...modifier.set].findLast(([name]) => isHost(name))
  const authority = named && parseAuthority(named[1])?.authority
  return onRequest('modify-request-headers', (x) => {
    edit(x.request.headers)
    if (authority !== undefined) setAuthority(x.request, authority)
    if (!x.probe) return
    x.probe.record(applied('request_header_modifier', 'changed request headers'))
    x.probe.snapshot('request header modifier')
  })
}

const isHost = (name: string): boolean => name.toLowerCase() === 'host' || name === ':authority'
