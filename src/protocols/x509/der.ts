/* DER encoding (X.690) of the few types in certificates. */

/** Encodes one value: its tag, the length of its content, and the content. */
export const der = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents)
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  const digits = Buffer.from(
    length.toString(16).padStart(length > 0xff ? (length > 0xffff ? 6 : 4) : 2, '0'),
    'hex',
  )
  return Buffer.concat([Buffer.from([tag, 0x80 | digits.length]), digits, content])
}

/** Tags of the types below, and of those that are parsed. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/** A sequence of values. */
export const derSequence = (...contents: readonly Uint8Array[]): Buffer => der(tags.sequence, ...contents)

/** An object identifier, given as `1.2.840.10045.2.1`. */
export const oid = (text: string): Buffer => {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = rest.flatMap((arc) => {
    const digits = [arc & 0x7f]
    for (let left = arc >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
    return digits
  })
  return der(tags.oid, Buffer.from([first * 40 + second, ...bytes]))
}

/** Compares encoded object identifiers with some, given as text. */
export const oidMatcher = (texts: readonly string[]): ((id: Uint8Array) => boolean) => {
  const known = texts.map(oid)
  return (id) => known.some((one) => one.equals(id))
}

/** A time to the second: with a two-digit year until 2049, as RFC 5280 requires. */
export const time = (at: Date): Buffer => {
  const text = at.toISOString().replace(/[-:T]|\.\d+/g, '')
  return at.getUTCFullYear() < 2050
    ? der(tags.utcTime, Buffer.from(text.slice(2)))
    : der(tags.generalizedTime, Buffer.from(text))
}

/** A bit string of whole bytes. */
export const bitString = (bits: Uint8Array): Buffer => der(tags.bitString, Buffer.from([0]), bits)

/** The values within a value, each with its tag and length. */
export const inside = (value: Uint8Array): readonly Buffer[] => {
  const { start, end } = frame(value, 0)
  const found: Buffer[] = []
  for (let at = start; at < end;) {
    const next = frame(value, at).end
    found.push(Buffer.from(value.subarray(at, next)))
    at = next
  }
  return found
}

/** The content of a value. */
export const derContent = (value: Uint8Array): Buffer => {
  const { start, end } = frame(value, 0)
  return Buffer.from(value.subarray(start, end))
}

/** The start and end of the content of the value at an offset. */
const frame = (bytes: Uint8Array, at: number): { readonly start: number; readonly end: number } => {
  const short = bytes[at + 1] ?? 0
  if (short === 0x80) throw new Error('a certificate has a value of indefinite length')
  const more = short < 0x80 ? 0 : short & 0x7f
  let length = more === 0 ? short : 0
  for (let i = 0; i < more; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0)
  const start = at + 2 + more
  if (!(start + length <= bytes.length)) throw new Error('a certificate is shorter than it says')
  return { start, end: start + length }
}
