import { formatIp, parseIp } from '../ip/ip-address.ts'
import type { ProxyEndpoint, ProxyReading } from './proxy-header.ts'

/**
 * Parses the text form, `PROXY TCP4 <source> <destination> <port> <port>` in one line of at most 107 bytes.
 * Single spaces, decimal ports without leading zeros, addresses of the announced family.
 */
export const parseVersion1 = (bytes: Buffer): ProxyReading => {
  const end = bytes.subarray(0, MAX_LINE_BYTES).indexOf('\r\n')
  if (end < 0)
    return bytes.length >= MAX_LINE_BYTES ? invalid('the line is longer than 107 bytes') : { kind: 'more' }
  const [, family, source, destination, sourcePort, destinationPort, ...more] = bytes
    .toString('latin1', 0, end)
    .split(' ')
  // The rest of the line after UNKNOWN must be ignored.
  if (family === 'UNKNOWN') return parsed(end + 2, undefined, undefined)
  if (family !== 'TCP4' && family !== 'TCP6') return invalid('the family is not TCP4, TCP6 or UNKNOWN')
  const from = endpoint(family, source, sourcePort)
  const to = endpoint(family, destination, destinationPort)
  if (!from || !to || more.length > 0) return invalid('the addresses or ports are malformed')
  return parsed(end + 2, from, to)
}

const MAX_LINE_BYTES = 107

const endpoint = (family: 'TCP4' | 'TCP6', address = '', port = ''): ProxyEndpoint | undefined => {
  const ip = parseIp(address)
  if (ip?.length !== (family === 'TCP4' ? 4 : 16)) return undefined
  if (!/^(0|[1-9][0-9]{0,4})$/.test(port) || Number(port) > 65535) return undefined
  return { address: formatIp(ip), port: Number(port) }
}

const invalid = (why: string): ProxyReading => ({ kind: 'invalid', why })

const parsed = (
  headerLength: number,
  source: ProxyEndpoint | undefined,
  destination: ProxyEndpoint | undefined,
): ProxyReading => ({
  kind: 'parsed',
  header: { version: 1, source, destination, headerLength, tlvs: [], authority: undefined },
})
