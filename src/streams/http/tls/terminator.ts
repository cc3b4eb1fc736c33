import type { Duplex } from 'node:stream'
import { createServer, type Server, type TlsOptions, type TLSSocket } from 'node:tls'
import type { TlsFacts } from '../../model/connection.ts'
import type { FrontendTls } from '../../model/frontend-policies.ts'
import type { TlsServer } from '../../model/resources.ts'
import { CertificateFiles } from './certificate-files.ts'
import { readClientCertificate } from './client-certificate.ts'

/** Told once: the decrypted stream, or undefined if the handshake failed. */
export type Handshaken = (socket: TLSSocket | undefined) => void

/**
 * Terminates TLS for one listener. Each has a `tls.Server` of its own (that never listens), because what a client must
 * show and may negotiate belongs to the server, not to the certificate.
 */
export class TlsTerminator {
  readonly #files: CertificateFiles
  readonly #options: TlsOptions
  readonly #server: Server
  readonly #handshakes = new WeakMap<Duplex, Handshaken>()

  /**
   * Throws if the files cannot be read or do not fit together.
   *
   * @param settings Of the listener; they win over those of `frontend`.
   */
  constructor(settings: TlsServer, frontend: FrontendTls) {
    this.#files = new CertificateFiles(settings)
    this.#options = optionsOf(settings, frontend)
    this.#server = createServer({ ...this.#options, ...this.#texts() })
    this.#server.on('secureConnection', (socket) => this.#finish(socket, socket))
    this.#server.on('tlsClientError', (_, socket) => this.#finish(socket, undefined))
  }

  /** Does the handshake on a stream whose bytes are still all there. */
  secure(stream: Duplex, handshaken: Handshaken): void {
    this.#handshakes.set(stream, handshaken)
    this.#server.emit('connection', stream)
  }

  /** Takes the files over if they have changed; throws if the new ones cannot be used, and keeps the old ones. */
  reload(): boolean {
    if (!this.#files.haveChanged) return false
    this.#server.setSecureContext({ ...this.#options, ...this.#texts() })
    return true
  }

  #texts(): TlsOptions {
    const { cert, key, ca } = this.#files.read()
    return ca ? { cert, key, ca } : { cert, key }
  }

  #finish(socket: TLSSocket, secured: TLSSocket | undefined): void {
    const stream = (socket as TLSSocket & { _parent: Duplex })._parent
    const handshaken = this.#handshakes.get(stream)
    this.#handshakes.delete(stream)
    if (!secured) socket.destroy()
    handshaken?.(secured)
  }
}

/** What a handshake told. */
export const tlsFactsOf = (socket: TLSSocket, serverName: string | undefined): TlsFacts => {
  const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined
  return {
    serverName,
    // `false` where nothing was agreed on.
    alpn: socket.alpnProtocol === false ? undefined : (socket.alpnProtocol ?? undefined),
    version: socket.getProtocol() ?? '',
    client: certificate ? readClientCertificate(certificate) : undefined,
  }
}

/** The fatal alert `unrecognized_name` (RFC 6066 section 3), in a record of its own. */
export const unrecognizedNameAlert = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x70])

const optionsOf = (settings: TlsServer, frontend: FrontendTls): TlsOptions => {
  const minVersion = settings.minVersion ?? frontend.minVersion
  const maxVersion = settings.maxVersion ?? frontend.maxVersion
  const ciphers = settings.cipherSuites ?? frontend.cipherSuites
  const groups = settings.keyExchangeGroups ?? frontend.keyExchangeGroups
  const mustShowCertificate = settings.clientCaFile !== undefined
  return {
    ALPNProtocols: [...(frontend.alpn ?? ['h2', 'http/1.1'])],
    handshakeTimeout: frontend.handshakeTimeoutMs,
    requestCert: mustShowCertificate,
    rejectUnauthorized: mustShowCertificate,
    // Node's own lowest version is 1.2 as well; said here because it matters.
    minVersion: minVersion ?? 'TLSv1.2',
    ...(maxVersion ? { maxVersion } : {}),
    ...(ciphers?.length ? { ciphers: ciphers.join(':') } : {}),
    ...(groups?.length ? { ecdhCurve: groups.join(':') } : {}),
  }
}
