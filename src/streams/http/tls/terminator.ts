import { constants, type X509Certificate } from 'node:crypto'
import type { Duplex } from 'node:stream'
import {
  createServer,
  type SecureContext,
  type SecureContextOptions,
  type Server,
  type TlsOptions,
  type TLSSocket,
} from 'node:tls'
import type { TlsAttributes, ClientCertificate } from '../../../model/exchange/connection.ts'
import type { FrontendTls } from '../../../model/resources/frontend-policies.ts'
import type { TlsServer } from '../../../model/resources/tls-server.ts'
import { CertificateFiles, type CertificateTexts } from './certificate-files.ts'
import { ClientVerification, verifiedCertificateOf } from './client-verification.ts'
import { MintedCertificates } from './dynamic-ca.ts'

/** Called once: the decrypted stream, or undefined if the handshake failed. */
export type Handshaken = (socket: TLSSocket | undefined) => void

/**
 * Terminates TLS for one listener. Each has its own `tls.Server` (that never listens), because client authentication
 * and negotiation belong to the server, not to the certificate.
 */
export class TlsTerminator {
  readonly #files: CertificateFiles
  readonly #options: TlsOptions
  readonly #server: Server
  readonly #minting: TlsServer['minting']
  readonly #allowsFallback: boolean
  #verification: ClientVerification | undefined = undefined
  #minted: MintedCertificates | undefined = undefined
  readonly #handshakes = new WeakMap<Duplex, Handshaken>()

  /**
   * Throws if the certificate and its key cannot be read or do not match.
   *
   * @param settings Of the listener; they take precedence over those of `frontend`.
   */
  constructor(settings: TlsServer, frontend: FrontendTls) {
    this.#files = new CertificateFiles(settings)
    this.#options = optionsOf(settings, frontend)
    this.#minting = settings.minting
    this.#allowsFallback = allowsFallback(settings)
    const texts = this.#files.read()
    this.#server = createServer({
      ...this.#options,
      ...this.#contextOf(texts),
      ...(settings.minting && { SNICallback: this.#mint }),
    })
    this.#verification = this.#verificationBy(texts)
    this.#server.on('secureConnection', (socket) => {
      this.#verification?.verify(socket)
      this.#finish(socket, socket)
    })
    this.#server.on('tlsClientError', (_, socket) => this.#finish(socket, undefined))
  }

  /** Does the handshake on a stream of which no byte has been consumed. */
  secure(stream: Duplex, handshaken: Handshaken): void {
    this.#handshakes.set(stream, handshaken)
    this.#server.emit('connection', stream)
  }

  /** Reloads the files if they have changed; throws if the new ones cannot be used, and keeps the old ones. */
  reload(): boolean {
    if (!this.#files.haveChanged) return false
    const texts = this.#files.read()
    const verification = this.#verificationBy(texts)
    this.#server.setSecureContext({ ...this.#options, ...this.#contextOf(texts) })
    this.#verification = verification
    return true
  }

  #contextOf({ cert, key, ca }: CertificateTexts): TlsOptions {
    if (this.#minting) {
      this.#minted = new MintedCertificates({ cert, key }, this.#minting, contextOptions(this.#options))
      return {}
    }
    // Not left out: the authorities that Node comes with would be in its place.
    if (this.#allowsFallback) return { cert, key, ca: [] }
    return ca ? { cert, key, ca } : { cert, key }
  }

  #verificationBy({ ca = '' }: CertificateTexts): ClientVerification | undefined {
    return this.#allowsFallback ? new ClientVerification(String(ca)) : undefined
  }

  /** Without SNI there is no name to issue a certificate for, so the handshake fails. */
  readonly #mint = (name: string, callback: (error: Error | null, context?: SecureContext) => void): void => {
    try {
      callback(null, this.#minted?.contextFor(name))
    } catch (cause) {
      callback(cause instanceof Error ? cause : new Error(String(cause)))
    }
  }

  #finish(socket: TLSSocket, secured: TLSSocket | undefined): void {
    const stream = (socket as TLSSocket & { _parent: Duplex })._parent
    const handshaken = this.#handshakes.get(stream)
    this.#handshakes.delete(stream)
    if (!secured) socket.destroy()
    handshaken?.(secured)
  }
}

/** The server settings that belong to each of its certificates. */
const contextOptions = ({
  minVersion,
  maxVersion,
  ciphers,
  ecdhCurve,
}: TlsOptions): SecureContextOptions => ({
  ...(minVersion && { minVersion }),
  ...(maxVersion && { maxVersion }),
  ...(ciphers && { ciphers }),
  ...(ecdhCurve && { ecdhCurve }),
})

/** The attributes of a handshake. */
export const tlsAttributesOf = (socket: TLSSocket, serverName: string | undefined): TlsAttributes => {
  const certificate = verifiedCertificateOf(socket)
  return {
    serverName,
    // `false` if no protocol was negotiated.
    alpn: socket.alpnProtocol === false ? undefined : (socket.alpnProtocol ?? undefined),
    version: socket.getProtocol() ?? '',
    client: certificate ? readClientCertificate(certificate) : undefined,
  }
}

/** Whether a listener lets in only clients with a verified certificate. */
export const requiresClientCertificate = (settings: TlsServer): boolean =>
  hasClientCa(settings) && settings.clientCertificates === undefined

/** Whether a listener identifies clients with a verified certificate, and lets in the others too. */
const allowsFallback = (settings: TlsServer): boolean =>
  hasClientCa(settings) && !requiresClientCertificate(settings)

const hasClientCa = ({ clientCaFile, clientCaPem }: TlsServer): boolean =>
  clientCaFile !== undefined || clientCaPem !== undefined

/** The fatal alert `unrecognized_name` (RFC 6066 section 3), in a record of its own. */
export const unrecognizedNameAlert = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x70])

/** The fatal alert `handshake_failure` (RFC 8446 section 6.2), in a record of its own. */
export const handshakeFailureAlert = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28])

const optionsOf = (settings: TlsServer, frontend: FrontendTls): TlsOptions => {
  const minVersion = settings.minVersion ?? frontend.minVersion
  const maxVersion = settings.maxVersion ?? frontend.maxVersion
  const ciphers = settings.cipherSuites ?? frontend.cipherSuites
  const groups = settings.keyExchangeGroups ?? frontend.keyExchangeGroups
  return {
    ALPNProtocols: [...(frontend.alpn ?? ['h2', 'http/1.1'])],
    handshakeTimeout: frontend.handshakeTimeoutMs,
    requestCert: hasClientCa(settings),
    rejectUnauthorized: requiresClientCertificate(settings),
    // Sessions are not resumed: the chain to verify is presented in full handshakes only.
    ...(allowsFallback(settings) && { secureOptions: constants.SSL_OP_NO_TICKET }),
    // Also Node's own default; explicit because it matters.
    minVersion: minVersion ?? 'TLSv1.2',
    ...(maxVersion ? { maxVersion } : {}),
    ...(ciphers?.length ? { ciphers: ciphers.join(':') } : {}),
    ...(groups?.length ? { ecdhCurve: groups.join(':') } : {}),
  }
}

/** The attributes of a verified client certificate. */
const readClientCertificate = (certificate: X509Certificate): ClientCertificate => {
  const names = subjectAltNames(certificate.subjectAltName)
  return {
    subject: oneLine(certificate.subject),
    subjectCn: commonName(certificate.subject),
    issuer: oneLine(certificate.issuer),
    subjectAltNames: names,
    spiffeId: names.find((name) => name.startsWith('spiffe://')),
    pem: certificate.toString(),
  }
}

/** Node writes one attribute a line; a multi-valued one also comes as one line. */
const oneLine = (name: string | undefined): string => (name ?? '').split('\n').filter(Boolean).join(', ')

const commonName = (subject: string | undefined): string | undefined =>
  subject
    ?.split('\n')
    .find((line) => line.startsWith('CN='))
    ?.slice(3)

/** The values of `DNS:a, URI:b, …`, without their kinds. Node quotes values that contain a comma, as JSON strings. */
const subjectAltNames = (text: string | undefined): string[] => {
  const names: string[] = []
  for (const [, quoted, plain] of (text ?? '').matchAll(
    /(?:^|, )[A-Za-z ]+:(?:("(?:[^"\\]|\\.)*")|([^,"]*))/g,
  )) {
    const name = quoted === undefined ? plain : (JSON.parse(quoted) as string)
    if (name) names.push(name)
  }
  return names
}
