import { ByteReader } from './byte-reader.ts'
import { joinHandshake } from './reassemble-handshake.ts'

/** The unencrypted attributes of a TLS handshake. */
export interface ClientHello {
  /** SNI in lower case without a final dot; `undefined` if the client sent none. */
  readonly serverName: string | undefined
  /** The offered protocols, in order of preference; bytes as Latin-1. */
  readonly alpn: readonly string[]
}

/** The result of parsing the first bytes of a connection. */
export type ClientHelloReading =
  /** Incomplete; call again with more bytes. */
  | { readonly kind: 'more' }
  /** Not TLS, or a malformed ClientHello. */
  | { readonly kind: 'invalid'; readonly why: string }
  | { readonly kind: 'found'; readonly hello: ClientHello }

/**
 * Parses the ClientHello at the start of a connection without consuming it: the bytes go to the TLS server,
 * or to the upstream that the name selects.
 *
 * Call it with everything received so far, until the result is not `more`; it keeps no state. A hello may be
 * split over records and packets in any way, up to 16 KiB and 64 records. Whether the handshake can succeed
 * is left to the endpoint that terminates it.
 */
export const readClientHello = (bytes: Buffer): ClientHelloReading => {
  const message = joinHandshake(bytes)
  if (message.kind !== 'message') return message
  const hello = parseHello(message.bytes)
  return hello ? { kind: 'found', hello } : { kind: 'invalid', why: 'the ClientHello is malformed' }
}

const SERVER_NAME = 0
const ALPN = 16

const parseHello = (bytes: Buffer): ClientHello | undefined => {
  const reader = new ByteReader(bytes)
  reader.skip(2 + 32) // version, random
  reader.vector(1) // session id
  reader.vector(2) // cipher suites
  reader.vector(1) // compression methods
  const hello: { serverName: string | undefined; alpn: readonly string[] } = {
    serverName: undefined,
    alpn: [],
  }
  if (reader.isDone()) return hello
  const extensions = reader.vector(2)
  if (reader.failed || !reader.isDone()) return undefined
  const seen = new Set<number>()
  while (!extensions.isDone()) {
    const type = extensions.number(2)
    const content = extensions.vector(2)
    if (extensions.failed || seen.has(type)) return undefined
    seen.add(type)
    if (type === SERVER_NAME) {
      const name = parseServerName(content)
      if (name === undefined) return undefined
      hello.serverName = name
    } else if (type === ALPN) {
      const protocols = parseProtocols(content)
      if (!protocols) return undefined
      hello.alpn = protocols
    }
  }
  return hello
}

/** A list with one name of type host_name (RFC 6066 section 3). */
const parseServerName = (content: ByteReader): string | undefined => {
  const list = content.vector(2)
  const type = list.number(1)
  const name = list.vector(2).text()
  if (content.failed || list.failed || !content.isDone() || !list.isDone() || type !== 0) return undefined
  return hostName.test(name) ? name.toLowerCase().replace(/\.$/, '') : undefined
}

/**
 * Names of letters, digits, hyphens and underscores; no empty labels. Addresses are accepted: some clients
 * send them.
 */
const hostName = /^(?=.{1,254}$)[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?$/

const parseProtocols = (content: ByteReader): string[] | undefined => {
  const list = content.vector(2)
  if (content.failed || !content.isDone() || list.isDone()) return undefined
  const protocols: string[] = []
  while (!list.isDone()) {
    const protocol = list.vector(1).text()
    if (list.failed || protocol === '') return undefined
    protocols.push(protocol)
  }
  return protocols
}
