import { type IpBytes, formatIp, parseIp, unmapIp } from '../../protocols/ip/ip-address.ts'
import { samePrefix } from '../../protocols/ip/ip-range.ts'

/** An IP address. An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) is the IPv4 address. */
export class IpAddress {
  readonly bytes: IpBytes

  constructor(bytes: IpBytes) {
    this.bytes = bytes
  }

  get family(): 4 | 6 {
    return this.bytes.length === 4 ? 4 : 6
  }

  /** Whether it is the same address as `other`. */
  equals(other: IpAddress): boolean {
    return this.startsLike(other, this.bytes.length * 8)
  }

  /** Whether its first `length` bits are those of `other`. */
  startsLike(other: IpAddress, length: number): boolean {
    return samePrefix(this.bytes, other.bytes, length)
  }

  /** The first `length` bits, the others zero. */
  masked(length: number): IpAddress {
    const whole = length >> 3
    return new IpAddress(
      this.bytes.map((byte, index) =>
        index < whole ? byte : index > whole ? 0 : byte & ~(0xff >> (length & 7)),
      ),
    )
  }

  toString(): string {
    return formatIp(this.bytes)
  }
}

/** A range of addresses. */
export class CelIpRange {
  readonly address: IpAddress
  readonly prefixLength: number

  constructor(address: IpAddress, prefixLength: number) {
    this.address = address
    this.prefixLength = prefixLength
  }

  containsIp(address: IpAddress): boolean {
    return address.startsLike(this.address, this.prefixLength)
  }

  containsRange(range: CelIpRange): boolean {
    return range.prefixLength >= this.prefixLength && this.containsIp(range.address)
  }

  toString(): string {
    return `${this.address.toString()}/${this.prefixLength}`
  }
}

/** Parses an address; undefined for other texts. Zones, ports and leading zeros are refused. */
export const parseCelIp = (text: string): IpAddress | undefined => {
  const bytes = parseIp(text, true)
  return bytes && new IpAddress(unmapIp(bytes))
}

/** Parses `address/length`; undefined for other texts. */
export const parseCelIpRange = (text: string): CelIpRange | undefined => {
  const slash = text.indexOf('/')
  const length = /^\d{1,3}$/.test(text.slice(slash + 1)) ? Number(text.slice(slash + 1)) : NaN
  const address = slash < 0 ? undefined : parseCelIp(text.slice(0, slash))
  if (!address) return undefined
  // The length of a range of IPv4-mapped addresses counts from the start of the IPv6 address.
  const mapped = address.family === 4 && text.includes(':')
  const prefixLength = mapped ? length - 96 : length
  return prefixLength >= 0 && prefixLength <= address.bytes.length * 8
    ? new CelIpRange(address, prefixLength)
    : undefined
}
