import type { ProxyHeader } from '../../../protocols/proxy-protocol/proxy-header.ts'
import { readProxyHeader } from '../../../protocols/proxy-protocol/read-proxy-header.ts'
import { type ClientHello, readClientHello } from '../../../protocols/tls/client-hello.ts'
import type { Recognised } from './peek-bytes.ts'

/** The first bytes of a connection, recognised. */
export type Opening =
  | { readonly kind: 'http1' }
  | { readonly kind: 'http2' }
  | { readonly kind: 'tls'; readonly hello: ClientHello }
  /** Looks like TLS, but is malformed. */
  | { readonly kind: 'broken' }

/** Distinguishes HTTP/1, HTTP/2 with prior knowledge, and TLS; consumes no bytes. */
export const recogniseProtocol = (bytes: Buffer): Recognised<Opening> | undefined => {
  if (bytes[0] === TLS_HANDSHAKE) {
    const reading = readClientHello(bytes)
    if (reading.kind === 'more') return undefined
    return reading.kind === 'found' ? whole({ kind: 'tls', hello: reading.hello }) : whole({ kind: 'broken' })
  }
  const length = Math.min(bytes.length, PREFACE.length)
  if (bytes.compare(PREFACE, 0, length, 0, length) !== 0) return whole({ kind: 'http1' })
  return length === PREFACE.length ? whole({ kind: 'http2' }) : undefined
}

/** The PROXY header of a connection, if it has one. */
export type ProxyOpening =
  | { readonly kind: 'header'; readonly header: ProxyHeader }
  | { readonly kind: 'absent' }
  | { readonly kind: 'broken' }

/** Consumes a PROXY protocol header at the front of the bytes. */
export const recogniseProxyHeader =
  (accept: 'v1' | 'v2' | 'all') =>
  (bytes: Buffer): Recognised<ProxyOpening> | undefined => {
    const reading = readProxyHeader(bytes, accept)
    switch (reading.kind) {
      case 'more':
        return undefined
      case 'parsed':
        return { value: { kind: 'header', header: reading.header }, taken: reading.header.headerLength }
      case 'absent':
        return { value: { kind: 'absent' }, taken: 0 }
      case 'invalid':
        return { value: { kind: 'broken' }, taken: 0 }
    }
  }

const TLS_HANDSHAKE = 0x16

/** How every HTTP/2 connection begins (RFC 9113 section 3.4). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

const whole = (value: Opening): Recognised<Opening> => ({ value, taken: 0 })
