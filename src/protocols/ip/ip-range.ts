import { type IpBytes, parseIp, unmapIp } from './ip-address.ts'

/** A block of addresses: every address whose first `prefixBits` bits are those of `base`. */
export interface IpRange {
  readonly base: IpBytes
  readonly prefixBits: number
}

/**
 * Parses `10.0.0.0/8`, `fd00::/8` or a single address; anything else is `undefined`.
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

/**
 * A block that the source code has.
 *
 * @throws Error if the text is none.
 */
export const requiredIpRange = (text: string): IpRange => {
  const range = parseIpRange(text)
  if (!range) throw new Error(`not a range: ${text}`)
  return range
}

/** Whether an address lies in a block. IPv4-mapped IPv6 addresses count as IPv4. */
export const ipRangeContains = (range: IpRange, address: IpBytes): boolean => {
  return samePrefix(range.base.length === 4 ? unmapIp(address) : address, range.base, range.prefixBits)
}

/** Whether two addresses of one family have the same first `bits` bits; addresses of different families never have. */
export const samePrefix = (a: IpBytes, b: IpBytes, bits: number): boolean => {
  if (a.length !== b.length) return false
  const whole = bits >> 3
  for (let i = 0; i < whole; i++) if (a[i] !== b[i]) return false
  const rest = bits & 7
  return rest === 0 || ((a[whole] ?? 0) ^ (b[whole] ?? 0)) >> (8 - rest) === 0
}
