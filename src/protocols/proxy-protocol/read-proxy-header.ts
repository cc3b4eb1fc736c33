import type { ProxyReading } from './proxy-header.ts'
import { parseVersion1 } from './version-1.ts'
import { SIGNATURE, parseVersion2 } from './version-2.ts'

/**
 * Parses the PROXY protocol header at the start of a connection, versions 1 and 2.
 *
 * Call it with everything received so far, until the result is not `more`; it keeps no state. Strict:
 * violations of the specification are `invalid`. It never needs more than 107 bytes of version 1, or 4 KiB
 * of version 2 (the protocol's limit is 64 KiB; real headers stay below 1 KiB).
 *
 * @param accept The versions to accept.
 * @example
 * const reading = readProxyHeader(received)
 * if (reading.kind === 'parsed') socket.unshift(received.subarray(reading.header.headerLength))
 */
export const readProxyHeader = (bytes: Buffer, accept: 'v1' | 'v2' | 'all' = 'all'): ProxyReading => {
  const one = accept !== 'v2' && startsLike(bytes, VERSION_1)
  const two = accept !== 'v1' && startsLike(bytes, SIGNATURE)
  if (one && bytes.length >= VERSION_1.length) return parseVersion1(bytes)
  if (two && bytes.length >= SIGNATURE.length) return parseVersion2(bytes)
  return one || two ? { kind: 'more' } : { kind: 'absent' }
}

const VERSION_1 = Buffer.from('PROXY ')

/** Whether the bytes begin with the signature, or could with more bytes. */
const startsLike = (bytes: Buffer, signature: Buffer): boolean => {
  const length = Math.min(bytes.length, signature.length)
  return bytes.compare(signature, 0, length, 0, length) === 0
}
