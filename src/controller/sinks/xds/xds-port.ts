import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type Server as TlsServer,
} from 'node:tls'
import type { XdsConnections } from './connections.ts'

/** Which connections a port accepts: with TLS, without, or both, distinguished by their first byte. */
export type XdsPortMode = 'plaintext' | 'tls' | 'either'

/** Options of the port. */
export interface XdsPortOptions {
  /** 0 selects a free port. */
  readonly port: number
  /** All addresses by default. */
  readonly host?: string
  readonly mode: XdsPortMode
  /** The certificate of the server, with its key. Needed for TLS. */
  readonly certificate?: XdsCertificateSource
}

/** Where the port has its certificate from. */
export interface XdsCertificateSource {
  /** Undefined until there is one: TLS connections are refused until then. */
  readonly current: Pick<SecureContextOptions, 'cert' | 'key'> | undefined
  /** Calls back for each new one, until released. Open connections keep theirs. */
  follow(changed: () => void): () => void
}

/** An open port. */
export interface XdsPort {
  readonly port: number
  close(): Promise<void>
}

/** For the first byte and the TLS handshake. */
const HANDSHAKE_MS = 10_000
/** How long connections take to send what was written. */
const CLOSE_MS = 1_000
/** The first byte of a TLS record with a handshake; HTTP/2 begins with `P`. */
const TLS_HANDSHAKE = 0x16

/** Opens the port; `accept` receives connections that speak HTTP/2 in clear, decrypted if need be. */
export const openXdsPort = async (
  options: XdsPortOptions,
  connections: XdsConnections,
  accept: (socket: Socket) => void,
): Promise<XdsPort> => {
  const { mode, certificate } = options
  const tls = mode === 'plaintext' ? undefined : tlsServer(certificate, accept)
  const server = createServer({ noDelay: true, pauseOnConnect: false }, (socket) => {
    if (!connections.add(socket)) return
    const secure = () => {
      if (certificate?.current === undefined) socket.destroy()
      else tls?.server.emit('connection', socket)
    }
    if (mode === 'plaintext') accept(socket)
    else if (mode === 'tls') secure()
    else peekFirstByte(socket, (byte) => (byte === TLS_HANDSHAKE ? secure() : accept(socket)))
  })
  server.listen(options.port, options.host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      tls?.release()
      const closed = once(server, 'close')
      server.close()
      connections.closeAll(CLOSE_MS)
      await closed
    },
  }
}

/** Does handshakes on given connections; it does not listen itself. */
const tlsServer = (
  certificate: XdsCertificateSource | undefined,
  accept: (socket: Socket) => void,
): { readonly server: TlsServer; readonly release: () => void } => {
  const server = createTlsServer({
    ALPNProtocols: ['h2'],
    minVersion: 'TLSv1.2',
    handshakeTimeout: HANDSHAKE_MS,
    ...certificate?.current,
  })
  server.on('secureConnection', (socket) => {
    accept(socket)
  })
  server.on('tlsClientError', (_, socket) => {
    socket.destroy()
  })
  const release = certificate?.follow(() => {
    if (certificate.current) server.setSecureContext({ minVersion: 'TLSv1.2', ...certificate.current })
  })
  return { server, release: () => release?.() }
}

const peekFirstByte = (socket: Socket, found: (byte: number) => void): void => {
  socket.setTimeout(HANDSHAKE_MS, () => socket.destroy())
  const look = () => {
    const chunk = socket.read() as Buffer | null
    if (!chunk) return
    socket.off('readable', look)
    socket.setTimeout(0)
    socket.removeAllListeners('timeout')
    socket.unshift(chunk)
    found(chunk[0] ?? 0)
  }
  socket.on('readable', look)
}
