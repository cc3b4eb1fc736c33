/** An IP address as its bytes in network order: 4 for IPv4, 16 for IPv6. */
export type IpBytes = Uint8Array

/**
 * Parses an IPv4 or IPv6 address; `undefined` for anything else, including zone identifiers and brackets.
 *
 * IPv4 is four decimal numbers without leading zeros: `010.0.0.1`, `0x7f.1` and `127.1` are different hosts to
 * different parsers, so they are refused.
 *
 * @param acceptsV4BeforeGap Also accepts an IPv4 part before `::` (`1.2.3.4::5`), which is not RFC 4291 but has always
 *   been accepted in expressions.
 * @example
 * parseIp('::1')?.length // 16
 */
export const parseIp = (text: string, acceptsV4BeforeGap = false): IpBytes | undefined => {
  // 45 characters is the longest IPv6 text (six groups and an embedded IPv4).
  if (text.length < 2 || text.length > 45) return undefined
  if (text.includes(':')) return parseV6(text, acceptsV4BeforeGap)
  const bytes = new Uint8Array(4)
  return readV4(text, 0, text.length, bytes, 0) ? bytes : undefined
}

/**
 * Formats an address in its canonical form (RFC 5952 for IPv6: lower case, the longest run of zeros as `::`).
 *
 * @example
 * formatIp(parseIp('2001:DB8:0:0::1')!) // '2001:db8::1'
 */
export const formatIp = (bytes: IpBytes): string => (bytes.length === 4 ? bytes.join('.') : formatV6(bytes))

/** The IPv4 address of an IPv4-mapped IPv6 address (`::ffff:10.0.0.1`); others are returned unchanged. */
export const unmapIp = (bytes: IpBytes): IpBytes => (isMapped(bytes) ? bytes.subarray(12) : bytes)

/** Reads the IPv4 address from `start` to `end` into four bytes; false if there is none. */
const readV4 = (text: string, start: number, end: number, bytes: Uint8Array, offset: number): boolean => {
  let at = start
  for (let i = 0; i < 4; i++) {
    if (i > 0 && text.charCodeAt(at++) !== DOT) return false
    const first = at
    let value = 0
    for (; at < first + 3; at++) {
      const digit = text.charCodeAt(at) - ZERO
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
    }
    if (at === first || value > 255 || (at > first + 1 && text.charCodeAt(first) === ZERO)) return false
    bytes[offset + i] = value
  }
  return at === end
}

const parseV6 = (text: string, acceptsV4BeforeGap: boolean): IpBytes | undefined => {
  const bytes = new Uint8Array(16)
  let used = 0
  let gap = text.startsWith('::') ? 0 : -1
  for (let at = gap === 0 ? 2 : 0; at < text.length;) {
    const first = at
    let value = 0
    for (let digit; at < first + 4 && (digit = hexDigit(text.charCodeAt(at))) >= 0; at++)
      value = value * 16 + digit
    if (text.charCodeAt(at) === DOT) {
      const end = acceptsV4BeforeGap && gap < 0 ? text.indexOf('::', at) : -1
      at = end < 0 ? text.length : end
      if (used > 12 || !readV4(text, first, at, bytes, used)) return undefined
      used += 4
    } else {
      if (at === first || used > 14) return undefined
      bytes[used++] = value >> 8
      bytes[used++] = value & 0xff
    }
    if (at === text.length) break
    if (text.charCodeAt(at++) !== COLON || at === text.length) return undefined
    if (text.charCodeAt(at) === COLON) {
      if (gap >= 0) return undefined
      gap = used
      at++
    }
  }
  if (gap < 0) return used === 16 ? bytes : undefined
  // `::` stands for at least one group of zeros.
  if (used > 14) return undefined
  bytes.copyWithin(16 - used + gap, gap, used)
  return bytes.fill(0, gap, 16 - used + gap)
}

/** The value of a hexadecimal digit; -1 for other characters. */
const hexDigit = (code: number): number => {
  if (code >= ZERO && code <= 0x39) return code - ZERO
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
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

const isMapped = (bytes: IpBytes): boolean => {
  if (bytes.length !== 16 || bytes[10] !== 0xff || bytes[11] !== 0xff) return false
  for (let i = 0; i < 10; i++) if (bytes[i] !== 0) return false
  return true
}

const ZERO = 0x30
const DOT = 0x2e
const COLON = 0x3a
