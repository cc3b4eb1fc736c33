/** An IP address as its bytes in network order: 4 for IPv4, 16 for IPv6. */
export type IpBytes = Uint8Array

/**
 * Reads an IPv4 or IPv6 address; anything else, zone identifiers and brackets included, is `undefined`.
 *
 * IPv4 is four decimal numbers without leading zeros: `010.0.0.1`, `0x7f.1` and `127.1` mean different hosts to
 * different readers, so they mean none here.
 *
 * @example
 * parseIp('::1')?.length // 16
 */
export const parseIp = (text: string): IpBytes | undefined => {
  // 45 characters is the longest IPv6 text (six groups and an embedded IPv4).
  if (text.length < 2 || text.length > 45) return undefined
  return text.includes(':') ? parseV6(text) : parseV4(text)
}

/**
 * Writes an address in its one canonical text (RFC 5952 for IPv6: lower case, the longest run of zeros as `::`).
 *
 * @example
 * formatIp(parseIp('2001:DB8:0:0::1')!) // '2001:db8::1'
 */
export const formatIp = (bytes: IpBytes): string => (bytes.length === 4 ? bytes.join('.') : formatV6(bytes))

/** Takes the IPv4 address out of an IPv4-mapped IPv6 address (`::ffff:10.0.0.1`); others come back as they are. */
export const unmapIp = (bytes: IpBytes): IpBytes => (isMapped(bytes) ? bytes.subarray(12) : bytes)

const parseV4 = (text: string): IpBytes | undefined => {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  const bytes = new Uint8Array(4)
  for (const [index, part] of parts.entries()) {
    if (!/^(0|[1-9][0-9]{0,2})$/.test(part) || Number(part) > 255) return undefined
    bytes[index] = Number(part)
  }
  return bytes
}

const parseV6 = (text: string): IpBytes | undefined => {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = parseGroups(halves[0] ?? '', halves.length === 1)
  const tail = parseGroups(halves[1] ?? '', true)
  if (!head || !tail) return undefined
  const known = head.length + tail.length
  // `::` stands for at least one group of zeros.
  if (halves.length === 1 ? known !== 16 : known > 14) return undefined
  const bytes = new Uint8Array(16)
  bytes.set(head)
  bytes.set(tail, 16 - tail.length)
  return bytes
}

/** The bytes of `1:2:3`, whose last group may be an IPv4 address if nothing follows it. */
const parseGroups = (text: string, mayEndInV4: boolean): number[] | undefined => {
  if (text === '') return []
  const bytes: number[] = []
  const groups = text.split(':')
  for (const [index, group] of groups.entries()) {
    if (/^[0-9a-fA-F]{1,4}$/.test(group)) {
      const value = Number.parseInt(group, 16)
      bytes.push(value >> 8, value & 0xff)
    } else {
      const v4 = mayEndInV4 && index === groups.length - 1 ? parseV4(group) : undefined
      if (!v4) return undefined
      bytes.push(...v4)
    }
  }
  return bytes
}

const formatV6 = (bytes: IpBytes): string => {
  if (isMapped(bytes)) return `::ffff:${bytes.subarray(12).join('.')}`
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[i * 2] ?? 0) << 8) | (bytes[i * 2 + 1] ?? 0))
  const zeros = longestZeroRun(groups)
  const hex = (from: number, to: number) =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':')
  return zeros.length < 2 ? hex(0, 8) : `${hex(0, zeros.start)}::${hex(zeros.start + zeros.length, 8)}`
}

const longestZeroRun = (groups: readonly number[]): { start: number; length: number } => {
  let best = { start: 0, length: 0 }
  let start = 0
  for (let i = 0; i <= groups.length; i++) {
    if (groups[i] === 0) continue
    if (i - start > best.length) best = { start, length: i - start }
    start = i + 1
  }
  return best
}

const isMapped = (bytes: IpBytes): boolean =>
  bytes.length === 16 &&
  bytes[10] === 0xff &&
  bytes[11] === 0xff &&
  bytes.subarray(0, 10).every((byte) => byte === 0)
