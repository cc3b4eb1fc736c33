import { embeddedIpv4 } from '../../protocols/ip/embedded-ipv4.ts'
import type { IpBytes } from '../../protocols/ip/ip-address.ts'
import { type IpRange, ipRangeContains, requiredIpRange } from '../../protocols/ip/ip-range.ts'

/**
 * Whether a caller may make the gateway connect to an address: it is public, or in a range that is explicitly allowed.
 *
 * An IPv6 address with an embedded IPv4 address (mapped, NAT64, 6to4) is checked by that one, since it is where its
 * packets end up.
 */
export const isReachable = (address: IpBytes, allowed: readonly IpRange[]): boolean => {
  const real = embeddedIpv4(address)
  if (allowed.some((range) => ipRangeContains(range, real) || ipRangeContains(range, address))) return true
  if (real.length === 4) return !reservedV4.some((range) => ipRangeContains(range, real))
  return ipRangeContains(globalUnicast, real) && !reservedV6.some((range) => ipRangeContains(range, real))
}

/**
 * Ranges that the registry of special-purpose addresses (RFC 6890 and its successors) does not list as global, and
 * multicast.
 */
const reservedV4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
  192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`
  .split(/\s+/)
  .map(requiredIpRange)

/** Everything else in IPv6 is reserved: loopback, link-local, unique local, site-local, multicast, translation. */
const globalUnicast = requiredIpRange('2000::/3')
/** Protocol assignments with Teredo and ORCHID, documentation. */
const reservedV6 = ['2001::/23', '2001:db8::/32', '3fff::/20'].map(requiredIpRange)
