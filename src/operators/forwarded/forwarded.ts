import type { Forwarded } from '../model/frontend-policies.ts'
import { parseAuthority } from '../protocols/http/authority.ts'
import { onRequest, type Operator } from '../pipeline/stage.ts'
import { applied } from './policy-note.ts'

/**
 * Tells upstreams who asked: X-Forwarded-For, -Proto, -Host and Forwarded (RFC 7239).
 *
 * `append` adds the peer of this gateway to what the client sent; `overwrite` begins anew. What proxies in front said of
 * scheme and host is kept if `trustedHops` says that they are ours, and only then; then their scheme also counts for
 * redirects, CSRF and expressions. Of the addresses, `overwrite` keeps those that our own proxies added: the last
 * `trustedHops` of them.
 *
 * Belongs first in the pipeline, before anything that reads the scheme. Without it those fields pass as the client sent
 * them.
 */
export const forwardHeaders = ({ mode, trustedHops }: Forwarded): Operator =>
  onRequest('forward-headers', (x) => {
    const { request } = x
    const { headers, connection } = request
    const peer = connection.sourceAddress || 'unknown'
    const trustedProto = believed(headers.get('x-forwarded-proto'), trustedHops)
    const trustedHost = believed(headers.get('x-forwarded-host'), trustedHops)
    if (trustedProto === 'http' || trustedProto === 'https') request.scheme = trustedProto
    const host = parseAuthority(trustedHost ?? '')?.authority ?? request.received.authority

    const keep = (field: string): readonly string[] => {
      const list = listOf(headers.get(field))
      return mode === 'append' ? list : trustedHops > 0 ? list.slice(-trustedHops) : []
    }
    headers.set('x-forwarded-for', [...keep('x-forwarded-for'), peer].join(', '))
    headers.set('x-forwarded-proto', request.scheme)
    headers.set('x-forwarded-host', host)
    headers.set('forwarded', [...keep('forwarded'), element(peer, host, request.scheme)].join(', '))
    x.probe?.note(applied('forwarded', `told the upstream about ${peer}`))
  })

/** The entries of a list field; none if a quotation is left open, which would swallow what is appended. */
const listOf = (value: string | undefined): string[] => {
  if (value === undefined || (value.split('"').length - 1) % 2) return []
  return value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

/** What the outermost of our own proxies wrote. */
const believed = (value: string | undefined, trustedHops: number): string | undefined => {
  if (trustedHops === 0) return undefined
  const list = listOf(value)
  return list.at(-trustedHops) ?? list[0]
}

/** IPv6 addresses, and hosts with a port, have characters that only a quoted string may carry. */
const element = (peer: string, host: string, scheme: string): string =>
  `for=${peer.includes(':') ? `"[${peer}]"` : peer};host="${host}";proto=${scheme}`
