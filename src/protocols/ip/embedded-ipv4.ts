import { type IpBytes, unmapIp } from './ip-address.ts'
import { ipRangeContains, requiredIpRange } from './ip-range.ts'

/**
 * The IPv4 address embedded in an IPv6 one (mapped, NAT64, 6to4), or the address itself: where its packets end up.
 *
 * @example
 * embeddedIpv4(parseIp('64:ff9b::7f00:1')!) // the bytes of 127.0.0.1
 */
export const embeddedIpv4 = (address: IpBytes): IpBytes => {
  const plain = unmapIp(address)
  if (plain.length === 4) return plain
  if (ipRangeContains(nat64, plain)) return plain.subarray(12)
  return ipRangeContains(sixToFour, plain) ? plain.subarray(2, 6) : plain
}

const nat64 = requiredIpRange('64:ff9b::/96')
const sixToFour = requiredIpRange('2002::/16')
