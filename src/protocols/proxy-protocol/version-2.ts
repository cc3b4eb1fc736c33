import { parseAuthority } from '../http/authority.ts'
import { formatIp } from '../ip/ip-address.ts'
import { crc32c } from './crc32c.ts'
import type { ProxyEndpoint, ProxyReading, ProxyTlv } from './proxy-header.ts'

/** The signature: no other protocol begins with these twelve bytes. */
export const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')

/** Types of TLVs with a meaning here. */
export const tlvType = { authority: 0x02, crc32c: 0x03, noop: 0x04 } as const

/**
 * Parses the binary form. LOCAL has no addresses, whatever it carries; a checksum, if present, must be
 * right; unknown TLVs are returned unparsed.
 */
export const parseVersion2 = (bytes: Buffer): ProxyReading => {
  if (bytes.length < PREFIX_BYTES) return { kind: 'more' }
  const command = bytes.readUInt8(12)
  if (command !== LOCAL && command !== PROXY)
    return invalid('the version is not 2, or the command is unknown')
  const family = bytes.readUInt8(13)
  const addressBytes = addressLengths.get(family)
  if (command === PROXY && addressBytes === undefined) return invalid('the address family is unknown')
  const headerLength = PREFIX_BYTES + bytes.readUInt16BE(14)
  if (headerLength > MAX_HEADER_BYTES) return invalid('the header is longer than 4096 bytes')
  if (bytes.length < headerLength) return { kind: 'more' }
  const body = bytes.subarray(PREFIX_BYTES, headerLength)
  if (command === LOCAL || addressBytes === undefined) return parsed(headerLength, undefined, undefined, [])
  if (body.length < addressBytes) return invalid('the header is too short for its addresses')
  const tlvs = readTlvs(body.subarray(addressBytes))
  if (!tlvs) return invalid('an extension is cut off')
  if (!isChecksumRight(bytes.subarray(0, headerLength), PREFIX_BYTES + addressBytes)) {
    return invalid('the checksum is wrong')
  }
  const [source, destination] = endpoints(family, body)
  return parsed(headerLength, source, destination, tlvs)
}

const PREFIX_BYTES = 16
const MAX_HEADER_BYTES = 4096
const LOCAL = 0x20
const PROXY = 0x21

/** Family and transport in one byte → bytes of both addresses and ports. */
const addressLengths = new Map([
  [0x00, 0],
  [0x11, 12],
  [0x12, 12],
  [0x21, 36],
  [0x22, 36],
  [0x31, 216],
  [0x32, 216],
])

const endpoints = (family: number, body: Buffer): [ProxyEndpoint?, ProxyEndpoint?] => {
  if (family >> 4 === 3) return [{ path: socketPath(body, 0) }, { path: socketPath(body, 108) }]
  if (family === 0) return []
  const size = family >> 4 === 1 ? 4 : 16
  const address = (index: number): string => formatIp(body.subarray(index * size, (index + 1) * size))
  const port = (index: number): number => body.readUInt16BE(2 * size + 2 * index)
  return [
    { address: address(0), port: port(0) },
    { address: address(1), port: port(1) },
  ]
}

/** A path ends at its first NUL; one that begins with NUL is in the abstract namespace and keeps it. */
const socketPath = (body: Buffer, start: number): string => {
  const field = body.subarray(start, start + 108)
  const end = field.indexOf(0, 1)
  const text = field.toString('utf8', 0, end < 0 ? field.length : end)
  return text === '\0' ? '' : text
}

const readTlvs = (bytes: Buffer): ProxyTlv[] | undefined => {
  const tlvs: ProxyTlv[] = []
  for (let at = 0; at < bytes.length;) {
    if (at + 3 > bytes.length) return undefined
    const end = at + 3 + bytes.readUInt16BE(at + 1)
    if (end > bytes.length) return undefined
    const type = bytes.readUInt8(at)
    if (type !== tlvType.noop) tlvs.push({ type, value: bytes.subarray(at + 3, end) })
    at = end
  }
  return tlvs
}

/** The checksum covers the whole header, with zeros in place of the checksum itself. */
const isChecksumRight = (header: Buffer, tlvStart: number): boolean => {
  for (let at = tlvStart; at < header.length; at += 3 + header.readUInt16BE(at + 1)) {
    if (header.readUInt8(at) !== tlvType.crc32c) continue
    if (header.readUInt16BE(at + 1) !== 4) return false
    const blanked = Buffer.from(header).fill(0, at + 3, at + 7)
    if (crc32c(blanked) !== header.readUInt32BE(at + 3)) return false
  }
  return true
}

const invalid = (why: string): ProxyReading => ({ kind: 'invalid', why })

const parsed = (
  headerLength: number,
  source: ProxyEndpoint | undefined,
  destination: ProxyEndpoint | undefined,
  tlvs: readonly ProxyTlv[],
): ProxyReading => {
  const name = tlvs.find(({ type }) => type === tlvType.authority)?.value.toString('latin1')
  const authority = name === undefined ? undefined : parseAuthority(name)?.authority
  return { kind: 'parsed', header: { version: 2, source, destination, headerLength, tlvs, authority } }
}
