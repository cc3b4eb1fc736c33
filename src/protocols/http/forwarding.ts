import type { Headers } from '../../model/headers.ts'
import { parseAuthority } from './authority.ts'
import { type TrustedProxies, clientAddress } from './client-address.ts'
import { trimBlanks } from './field-syntax.ts'
import { addressOf, formatForwarded, forwardedNode, parseForwarded } from './forwarded.ts'

/** How a request arrived somewhere: at this gateway, or at the first trusted proxy in front of it. */
export interface Arrival {
  /** IP address of whoever sent it. */
  readonly address: string
  readonly proto: 'http' | 'https'
  /** As `Host` said, with its port if it had one. */
  readonly host: string
}

/** Whom to believe, and which field they write. */
export interface ForwardingTrust extends TrustedProxies {
  /** The other field is not read: proxies that write one may let through what clients put in the other. */
  readonly from?: 'x-forwarded-for' | 'forwarded'
}

/** What to tell upstreams. */
export interface ForwardingRules extends ForwardingTrust {
  /**
   * `append`: add this hop to the lists, whatever they hold; without trusted proxies their earlier entries are the
   * client's invention, and upstreams must count from the right. `overwrite`: say only who the client is.
   */
  readonly mode: 'append' | 'overwrite'
}

/**
 * How the request arrived at the outermost trusted proxy: the client as far as it can be known. Values that came from
 * anybody else are not looked at; values that are malformed are replaced by what was seen here.
 */
export const effectiveArrival = (headers: Headers, seen: Arrival, trust: ForwardingTrust): Arrival => {
  if (!trust.hops && !trust.ranges) return seen
  return trust.from === 'forwarded'
    ? fromForwarded(headers, seen, trust)
    : fromXForwarded(headers, seen, trust)
}

/**
 * Sets X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host and Forwarded for an upstream. Proto and host are those of
 * the effective arrival in both modes, since they are no lists.
 */
export const setForwarding = (headers: Headers, seen: Arrival, rules: ForwardingRules): void => {
  const { address, proto, host } = effectiveArrival(headers, seen, rules)
  if (rules.mode === 'overwrite') {
    headers.set('x-forwarded-for', address)
    headers.set('forwarded', formatForwarded({ for: forwardedNode(address), host, proto }))
  } else {
    const mine = formatForwarded({ for: forwardedNode(seen.address), host: seen.host, proto: seen.proto })
    const before = headers.get('forwarded') ?? ''
    headers.set('x-forwarded-for', [...list(headers, 'x-forwarded-for'), seen.address].join(', '))
    // Nothing is appended to a malformed value: an open quote in it would swallow this hop.
    headers.set('forwarded', parseForwarded(before)?.length ? `${before}, ${mine}` : mine)
  }
  headers.set('x-forwarded-proto', proto)
  headers.set('x-forwarded-host', host)
}

const fromXForwarded = (headers: Headers, seen: Arrival, trust: ForwardingTrust): Arrival => {
  const chain = list(headers, 'x-forwarded-for').map(addressOf)
  const { address, proxies } = clientAddress(seen.address, chain, trust)
  if (proxies === 0) return seen
  const proto = fromRight(list(headers, 'x-forwarded-proto'), proxies)
  const host = fromRight(list(headers, 'x-forwarded-host'), proxies)
  return arrivalOf(address, proto, host, seen)
}

const fromForwarded = (headers: Headers, seen: Arrival, trust: ForwardingTrust): Arrival => {
  const elements = parseForwarded(headers.get('forwarded') ?? '') ?? []
  const chain = elements.map((element) => addressOf(element.for ?? ''))
  const { address, proxies } = clientAddress(seen.address, chain, trust)
  if (proxies === 0) return seen
  const element = fromRight(elements, proxies)
  return arrivalOf(address, element?.proto, element?.host, seen)
}

const arrivalOf = (
  address: string,
  proto: string | undefined,
  host: string | undefined,
  seen: Arrival,
): Arrival => {
  const scheme = proto?.toLowerCase()
  return {
    address,
    proto: scheme === 'http' || scheme === 'https' ? scheme : seen.proto,
    host: (host === undefined ? undefined : parseAuthority(host)?.authority) ?? seen.host,
  }
}

/** What the outermost trusted proxy wrote, or the first entry if proxies replaced the value instead of adding to it. */
const fromRight = <Entry>(entries: readonly Entry[], count: number): Entry | undefined =>
  entries[Math.max(0, entries.length - count)]

const list = (headers: Headers, name: string): string[] =>
  (headers.get(name) ?? '').split(',').map(trimBlanks).filter(Boolean)
