import { type IpBytes, parseIp, unmapIp } from './ip-address.ts'

/** A block of addresses: every address whose first `prefixBits` bits are those of `base`. */
export interface IpRange {
  readonly base: IpBytes
  readonly prefixBits: number
}

/**
 * Reads `10.0.0.0/8`, `fd00::/8` or a single address; anything else is `undefined`.
 *
 * Bits of the base beyond the prefix are ignored: `10.1.2.3/8` is `10.0.0.0/8`.
 */
export const parseIpRange = (text: string): IpRange | undefined => {
  const slash = text.indexOf('/')
  const address = parseIp(slash < 0 ? text : text.slice(0, slash))
  if (!address) return undefined
  const bits = slash < 0 ? String(address.length * 8) : text.slice(slash + 1)
  if (!/^(0|[1-9][0-9]{0,2})$/.test(bits) || Number(bits) > address.length * 8) return undefined
  const base = unmapIp(address)
  // A mapped base counts its bits from the start of the IPv6 address: /104 of ::ffff:10.0.0.0 is 10.0.0.0/8.
  const prefixBits = Number(bits) - (address.length - base.length) * 8
  return prefixBits < 0 ? { base: address, prefixBits: Number(bits) } : { base, prefixBits }
}

/** Whether an address lies in a block. IPv4-mapped IPv6 addresses count as the IPv4 addresses they carry. */
export const ipRangeContains = (range: IpRange, address: IpBytes): boolean => {
  const bytes = range.base.length === 4 ? unmapIp(address) : address
  if (bytes.length !== range.base.length) return false
  const whole = range.prefixBits >> 3
  for (let i = 0; i < whole; i++) if (bytes[i] !== range.base[i]) return false
  const rest = range.prefixBits & 7
  return rest === 0 || ((bytes[whole] ?? 0) ^ (range.base[whole] ?? 0)) >> (8 - rest) === 0
}
