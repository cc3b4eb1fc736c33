import { parseIp } from '../ip/ip-address.ts'
import { type IpRange, ipRangeContains } from '../ip/ip-range.ts'

/** Which proxies in front of this gateway are believed. Nothing given: none. */
export interface TrustedProxies {
  /** How many there are, the peer of the connection being the first. */
  readonly hops?: number
  /** Or where they are. Takes the place of `hops`. */
  readonly ranges?: readonly IpRange[]
}

/**
 * Finds the client behind trusted proxies: from the peer of the connection back through the chain they wrote, as far as
 * each one in turn is trusted. An entry that is no address ends the search at the proxy that wrote it.
 *
 * @param peer Address of the connection's other end.
 * @param chain Addresses as X-Forwarded-For has them, the nearest last; `undefined` where an entry was no address.
 * @returns The address found, and how many proxies it was found behind: 0 if the peer itself is not trusted.
 * @example
 * clientAddress('10.0.0.1', ['6.6.6.6', '203.0.113.7'], { hops: 1 }) // { address: '203.0.113.7', proxies: 1 }
 */
export const clientAddress = (
  peer: string,
  chain: readonly (string | undefined)[],
  trusted: TrustedProxies,
): { readonly address: string; readonly proxies: number } => {
  let address = peer
  let proxies = 0
  while (isTrusted(address, proxies, trusted)) {
    proxies++
    const next = chain[chain.length - proxies]
    if (next === undefined) break
    address = next
  }
  return { address, proxies }
}

const isTrusted = (address: string, index: number, { hops = 0, ranges }: TrustedProxies): boolean => {
  if (!ranges) return index < hops
  const bytes = parseIp(address)
  return bytes !== undefined && ranges.some((range) => ipRangeContains(range, bytes))
}
