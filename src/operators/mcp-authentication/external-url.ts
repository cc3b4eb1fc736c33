import type { Exchange } from '../../../model/exchange.ts'
import { parseAuthority } from '../../../protocols/http/authority.ts'
import { withoutSlash } from '../../../protocols/oauth/identity-provider.ts'

/** What is known about the proxies in front of the gateway. */
export interface AddressOptions {
  /** X-Forwarded-Host has been settled: proxies of ours, or the gateway itself, have written it. */
  readonly forwarded: boolean
  /** There are proxies of ours in front, whose X-Forwarded-Prefix is believed. */
  readonly proxied: boolean
}

/** The origin that the client called, such as `https://api.example.com`. */
export const originOf = ({ request }: Exchange, { forwarded }: AddressOptions): string => {
  const host = forwarded
    ? parseAuthority(request.headers.get('x-forwarded-host') ?? '')?.authority
    : undefined
  return `${request.scheme}://${host ?? request.received.authority}`
}

/** What proxies in front took off the path before the request came here; empty if nothing. */
export const prefixOf = ({ request }: Exchange, { proxied }: AddressOptions): string => {
  const prefix = proxied ? request.headers.get('x-forwarded-prefix') : undefined
  return prefix !== undefined && isPath.test(prefix) ? withoutSlash(prefix) : ''
}

const isPath = /^(?:\/[\w.~!$&'()*+,;=:@%-]+)+\/?$/
