/** An IP address as a number. An IPv4 address within IPv6 (`::ffff:10.0.0.1`) is that IPv4 address. */
export class IpAddress {
  readonly family: 4 | 6
  readonly bits: bigint

  constructor(family: 4 | 6, bits: bigint) {
    this.family = family
    this.bits = bits
  }

  /** Whether its first `length` bits are those of `other`. */
  startsLike(other: IpAddress, length: number): boolean {
    const rest = BigInt(widthOf(this.family) - length)
    return this.family === other.family && this.bits >> rest === other.bits >> rest
  }

  /** The first `length` bits, the others zero. */
  masked(length: number): IpAddress {
    const rest = BigInt(widthOf(this.family) - length)
    return new IpAddress(this.family, (this.bits >> rest) << rest)
  }

  toString(): string {
    return this.family === 4 ? groupsOf(this.bits, 4, 8n).join('.') : ipv6Text(this.bits)
  }
}

/** A range of addresses. */
export class IpRange {
  readonly address: IpAddress
  readonly prefixLength: number

  constructor(address: IpAddress, prefixLength: number) {
    this.address = address
    this.prefixLength = prefixLength
  }

  containsIp(address: IpAddress): boolean {
    return address.startsLike(this.address, this.prefixLength)
  }

  containsRange(range: IpRange): boolean {
    return range.prefixLength >= this.prefixLength && this.containsIp(range.address)
  }

  toString(): string {
    return `${this.address.toString()}/${this.prefixLength}`
  }
}

/** Bits of an address of a family. */
const widthOf = (family: 4 | 6): number => (family === 4 ? 32 : 128)

/** Reads an address; undefined if it is none. Zones, ports and leading zeros are refused. */
export const parseIp = (text: string): IpAddress | undefined => {
  if (text.length > 45) return undefined
  const parsed = text.includes(':') ? parseIpv6(text) : parseIpv4(text)
  if (parsed === undefined) return undefined
  if (!text.includes(':')) return new IpAddress(4, parsed)
  return parsed >> 32n === 0xffffn ? new IpAddress(4, parsed & 0xffffffffn) : new IpAddress(6, parsed)
}

/** Reads `address/length`; undefined if it is none. */
export const parseIpRange = (text: string): IpRange | undefined => {
  const slash = text.indexOf('/')
  const length = /^\d{1,3}$/.test(text.slice(slash + 1)) ? Number(text.slice(slash + 1)) : NaN
  const address = slash < 0 ? undefined : parseIp(text.slice(0, slash))
  if (!address) return undefined
  // The length of a range of IPv4 addresses within IPv6 counts from the IPv6 address's beginning.
  const mapped = address.family === 4 && text.includes(':')
  const prefixLength = mapped ? length - 96 : length
  return prefixLength >= 0 && prefixLength <= widthOf(address.family)
    ? new IpRange(address, prefixLength)
    : undefined
}

const parseIpv4 = (text: string): bigint | undefined => {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  let bits = 0n
  for (const part of parts) {
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined
    bits = (bits << 8n) | BigInt(part)
  }
  return bits
}

const parseIpv6 = (text: string): bigint | undefined => {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map(ipv6Groups)
  if (!head || (halves.length === 2 && !tail)) return undefined
  const missing = 8 - head.length - (tail?.length ?? 0)
  if (tail ? missing < 1 : missing !== 0) return undefined
  let bits = 0n
  for (const group of [...head, ...Array<number>(missing).fill(0), ...(tail ?? [])])
    bits = (bits << 16n) | BigInt(group)
  return bits
}

/** The 16-bit groups of one side of `::`, the last of which may be an IPv4 address. */
const ipv6Groups = (text: string): number[] | undefined => {
  if (text === '') return []
  const parts = text.split(':')
  const last = parts.at(-1) as string
  const groups: number[] = []
  for (const part of last.includes('.') ? parts.slice(0, -1) : parts) {
    if (!/^[0-9a-fA-F]{1,4}$/.test(part)) return undefined
    groups.push(parseInt(part, 16))
  }
  if (!last.includes('.')) return groups
  const ipv4 = parseIpv4(last)
  return ipv4 === undefined ? undefined : [...groups, Number(ipv4 >> 16n), Number(ipv4 & 0xffffn)]
}

const groupsOf = (bits: bigint, count: number, width: bigint): number[] =>
  Array.from({ length: count }, (_, i) =>
    Number((bits >> (BigInt(count - 1 - i) * width)) & ((1n << width) - 1n)),
  )

/** RFC 5952: the first of the longest runs of two or more zero groups is `::`. */
const ipv6Text = (bits: bigint): string => {
  const groups = groupsOf(bits, 8, 16n)
  let best = { start: 0, length: 0 }
  for (let start = 0; start < 8; start++) {
    let end = start
    while (end < 8 && groups[end] === 0) end++
    if (end - start > best.length) best = { start, length: end - start }
  }
  const hex = groups.map((group) => group.toString(16))
  if (best.length < 2) return hex.join(':')
  return `${hex.slice(0, best.start).join(':')}::${hex.slice(best.start + best.length).join(':')}`
}
