import type { Exchange } from '../../model/exchange/exchange.ts'
import { parseAuthority } from '../../protocols/http/authority.ts'
import { withoutSlash } from '../../protocols/oauth/provider-quirks.ts'

/** Trust in the proxies in front of the gateway. */
export interface AddressOptions {
  /** X-Forwarded-Host can be trusted: a trusted proxy or the gateway itself has written it. */
  readonly forwarded: boolean
  /** Trusted proxies are in front: their X-Forwarded-Prefix is used. */
  readonly proxied: boolean
}

/** The origin that the client called, such as `https://api.example.com`. */
export const externalOrigin = ({ request }: Exchange, { forwarded }: AddressOptions): string => {
  const host = forwarded
    ? parseAuthority(request.headers.get('x-forwarded-host') ?? '')?.authority
    : undefined
  return `${request.scheme}://${host ?? request.received.authority}`
}

/** The path prefix that proxies in front removed; empty if none. */
export const prefixOf = ({ request }: Exchange, { proxied }: AddressOptions): string => {
  const prefix = proxied ? request.headers.get('x-forwarded-prefix') : undefined
  return prefix !== undefined && isPath.test(prefix) ? withoutSlash(prefix) : ''
}

const isPath = /^(?:\/[\w.~!$&'()*+,;=:@%-]+)+\/?$/
