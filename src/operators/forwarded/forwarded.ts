import type { Forwarded } from '../../model/resources/frontend-policies.ts'
import { parseAuthority } from '../../protocols/http/authority.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { applied } from '../trace-policy.ts'

/**
 * Sets X-Forwarded-For, -Proto, -Host and Forwarded (RFC 7239) for upstreams.
 *
 * `append` adds the address of the connection's client to the values of the request; `overwrite` replaces them. Scheme
 * and host of proxies in front are kept only if `trustedHops` declares those proxies as trusted; then their scheme also
 * counts for redirects, CSRF and expressions. Of the addresses, `overwrite` keeps those that trusted proxies added: the
 * last `trustedHops` of them.
 *
 * Belongs first in the pipeline, before everything that reads the scheme. Without it those fields pass as the client
 * sent them.
 */
export const forwardHeaders = ({ mode, trustedHops }: Forwarded): Operator =>
  onRequest('forward-headers', (x) => {
    const { request } = x
    const { headers, connection } = request
    const client = connection.sourceAddress || 'unknown'
    const trustedProto = believed(headers.get('x-forwarded-proto'), trustedHops)
    const trustedHost = believed(headers.get('x-forwarded-host'), trustedHops)
    if (trustedProto === 'http' || trustedProto === 'https') request.scheme = trustedProto
    const host = parseAuthority(trustedHost ?? '')?.authority ?? request.received.authority

    const keep = (field: string): readonly string[] => {
      const list = listOf(headers.get(field))
      return mode === 'append' ? list : trustedHops > 0 ? list.slice(-trustedHops) : []
    }
    headers.set('x-forwarded-for', [...keep('x-forwarded-for'), client].join(', '))
    headers.set('x-forwarded-proto', request.scheme)
    headers.set('x-forwarded-host', host)
    headers.set('forwarded', [...keep('forwarded'), element(client, host, request.scheme)].join(', '))
    x.probe?.record(applied('forwarded', `told the upstream about ${client}`))
  })

/** The entries of a list field; none if a quoted string is left open, which would swallow the appended entry. */
const listOf = (value: string | undefined): string[] => {
  if (value === undefined || (value.split('"').length - 1) % 2) return []
  return value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

/** The entry of the outermost trusted proxy. */
const believed = (value: string | undefined, trustedHops: number): string | undefined => {
  if (trustedHops === 0) return undefined
  const list = listOf(value)
  return list.at(-trustedHops) ?? list[0]
}

/** IPv6 addresses, and hosts with a port, have characters that require a quoted string. */
const element = (client: string, host: string, scheme: string): string =>
  `for=${client.includes(':') ? `"[${client}]"` : client};host="${host}";proto=${scheme}`
