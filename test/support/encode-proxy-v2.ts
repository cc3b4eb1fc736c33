import { type IpBytes, parseIp } from '../../src/protocols/ip/ip-address.ts'
import { crc32c } from '../../src/protocols/proxy-protocol/crc32c.ts'
import type { ProxyEndpoint, ProxyTlv } from '../../src/protocols/proxy-protocol/proxy-header.ts'
import { SIGNATURE, tlvType } from '../../src/protocols/proxy-protocol/version-2.ts'

/** The content of a version 2 header. */
export interface ProxyV2Options {
  /** Both ends, or neither for LOCAL. */
  readonly source?: ProxyEndpoint
  readonly destination?: ProxyEndpoint
  readonly tlvs?: readonly ProxyTlv[]
  /** Adds a checksum. */
  readonly checksum?: boolean
}

/**
 * Writes a PROXY protocol version 2 header.
 *
 * @throws RangeError if only one end is given, or the ends are of different kinds, or an address is invalid.
 */
export const encodeProxyV2 = ({
  source,
  destination,
  tlvs = [],
  checksum = false,
}: ProxyV2Options): Buffer => {
  const local = !source && !destination
  const [family, addresses] = local ? [0, Buffer.alloc(0)] : encodeEnds(source, destination)
  const extensions = checksum ? [...tlvs, { type: tlvType.crc32c, value: Buffer.alloc(4) }] : tlvs
  const parts = extensions.map(encodeTlv)
  const prefix = Buffer.alloc(4)
  prefix.writeUInt8(local ? 0x20 : 0x21, 0)
  prefix.writeUInt8(family, 1)
  prefix.writeUInt16BE(
    parts.reduce((sum, part) => sum + part.length, addresses.length),
    2,
  )
  const header = Buffer.concat([SIGNATURE, prefix, addresses, ...parts])
  if (checksum) header.writeUInt32BE(crc32c(header), header.length - 4)
  return header
}

const encodeTlv = ({ type, value }: ProxyTlv): Buffer => {
  const head = Buffer.alloc(3)
  head.writeUInt8(type, 0)
  head.writeUInt16BE(value.length, 1)
  return Buffer.concat([head, value])
}

const encodeEnds = (source?: ProxyEndpoint, destination?: ProxyEndpoint): [family: number, bytes: Buffer] => {
  if (source && destination && 'path' in source && 'path' in destination) {
    return [0x31, Buffer.concat([encodePath(source.path), encodePath(destination.path)])]
  }
  if (!source || !destination || 'path' in source || 'path' in destination) {
    throw new RangeError('both ends must be addresses, or both unix sockets')
  }
  const [from, to] = [addressBytes(source.address), addressBytes(destination.address)]
  if (from.length !== to.length) throw new RangeError('both addresses must be of one family')
  const ports = Buffer.alloc(4)
  ports.writeUInt16BE(source.port, 0)
  ports.writeUInt16BE(destination.port, 2)
  return [from.length === 4 ? 0x11 : 0x21, Buffer.concat([from, to, ports])]
}

const addressBytes = (text: string): IpBytes => {
  const bytes = parseIp(text)
  if (!bytes) throw new RangeError('an end must be an IP address')
  return bytes
}

const encodePath = (path: string): Buffer => {
  const bytes = Buffer.alloc(108)
  if (bytes.write(path) < Buffer.byteLength(path)) throw new RangeError('a socket path has at most 108 bytes')
  return bytes
}
