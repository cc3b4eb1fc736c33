import { parseVersion1 } from './version-1.ts'
import { SIGNATURE, parseVersion2 } from './version-2.ts'

/** One end of the proxied connection: an address with a port, or the path of a unix socket. */
export type ProxyEndpoint = { readonly address: string; readonly port: number } | { readonly path: string }

/** A type-length-value extension of version 2, as sent. */
export interface ProxyTlv {
  readonly type: number
  readonly value: Buffer
}

/** What a proxy told about the connection it passes on. */
export interface ProxyHeader {
  readonly version: 1 | 2
  /** Absent if the proxy speaks for itself (LOCAL, health checks) or does not know (UNKNOWN): use the socket's ends. */
  readonly source: ProxyEndpoint | undefined
  readonly destination: ProxyEndpoint | undefined
  /** How many bytes to skip; what follows belongs to the connection. */
  readonly headerLength: number
  /** Version 2 only. */
  readonly tlvs: readonly ProxyTlv[]
  /** The host name the client asked for (usually its SNI), if a TLV says so. */
  readonly authority: string | undefined
}

/** What the first bytes of a connection turned out to be. */
export type ProxyReading =
  /** Not enough to tell; ask again with more bytes. */
  | { readonly kind: 'more' }
  /** No PROXY header of a version that is accepted: these bytes are the connection's own. */
  | { readonly kind: 'absent' }
  /** A header that breaks the protocol: close the connection. */
  | { readonly kind: 'invalid'; readonly why: string }
  | { readonly kind: 'parsed'; readonly header: ProxyHeader }

/**
 * Reads the PROXY protocol header at the start of a connection, versions 1 and 2.
 *
 * Call it with everything received so far, until it says something other than `more`; it keeps no state. Strict: what
 * the specification does not allow is `invalid`. It never asks for more than 107 bytes of version 1, or 4 KiB of
 * version 2 (its own limit is 64 KiB; real headers stay below 1 KiB).
 *
 * @param accept The versions to look for.
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

/** Whether the bytes begin with the signature, or could once more of them came. */
const startsLike = (bytes: Buffer, signature: Buffer): boolean => {
  const length = Math.min(bytes.length, signature.length)
  return bytes.compare(signature, 0, length, 0, length) === 0
}
