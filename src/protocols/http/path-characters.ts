/** How a percent-encoded byte of a path is treated. */
export const escapeFate = {
  /** The escape is kept. */
  kept: 0,
  /** Unreserved: decoded. */
  decoded: 1,
  /** NUL, other control characters, DEL. */
  control: 2,
  /** A slash or backslash. */
  separator: 3,
  /** May begin an overlong UTF-8 sequence; stays an escape otherwise. */
  lead: 4,
} as const

const unreserved = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'

/** 1 for characters that may stand in a path segment as themselves (`pchar` of RFC 3986, without escapes). */
export const plainCharacters = new Uint8Array(128)
for (const character of `${unreserved}!$&'()*+,;=:@`) plainCharacters[character.charCodeAt(0)] = 1

/** The fate (`escapeFate`) of each byte. */
export const escapeFates = new Uint8Array(256)
escapeFates.fill(escapeFate.control, 0, 0x20)
escapeFates[0x7f] = escapeFate.control
for (const character of unreserved) escapeFates[character.charCodeAt(0)] = escapeFate.decoded
for (const character of '/\\') escapeFates[character.charCodeAt(0)] = escapeFate.separator
for (const lead of [0xc0, 0xc1, 0xe0, 0xf0]) escapeFates[lead] = escapeFate.lead

/** The byte that the escape at `i` stands for; -1 if it is not an escape. */
export const escapedByte = (text: string, i: number): number => {
  const high = hexDigits[text.charCodeAt(i + 1)] ?? 0
  const low = hexDigits[text.charCodeAt(i + 2)] ?? 0
  return high === 0 || low === 0 ? -1 : ((high - 1) << 4) | (low - 1)
}

/** The value of a hexadecimal digit plus one; 0 for other characters. */
const hexDigits = new Uint8Array(128)
for (let i = 0; i < 16; i++) {
  hexDigits[i.toString(16).charCodeAt(0)] = i + 1
  hexDigits[i.toString(16).toUpperCase().charCodeAt(0)] = i + 1
}
