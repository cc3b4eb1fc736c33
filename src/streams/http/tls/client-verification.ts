import { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { isVerifiedClientChain } from '../../../protocols/x509/verify-client-chain.ts'

/**
 * Verifies the client certificates of a listener that also lets in clients without a verified one. OpenSSL cannot do
 * it there: if the signature of a certificate does not fit, and the handshake goes on all the same, it leaves its
 * error in a queue, where the next read takes it for its own and fails. Whether there is such a read depends on how
 * the client's messages are cut into segments. OpenSSL therefore gets no authorities, and checks no signature by
 * them; the gateway does after the handshake. What remains is a client that sends along an authority which has not
 * signed its certificate, but has the name of the one that has: its connection may fail.
 */
export class ClientVerification {
  readonly #bundle: readonly X509Certificate[]

  /** @throws Error if a certificate of the bundle cannot be parsed. */
  constructor(bundle: string) {
    this.#bundle = (bundle.match(CERTIFICATES) ?? []).map((text) => new X509Certificate(text))
  }

  /** Verifies the certificate of a client, once: Node gives the chain that was presented only to the first caller. */
  verify(socket: TLSSocket): void {
    const presented = presentedBy(socket)
    const isVerified = isVerifiedClientChain(presented, this.#bundle, new Date())
    verdicts.set(socket, isVerified ? presented[0] : undefined)
  }
}

/** The certificate of a client, if it was verified by the gateway, or by OpenSSL where the gateway leaves it to that. */
export const verifiedCertificateOf = (socket: TLSSocket): X509Certificate | undefined => {
  if (verdicts.has(socket)) return verdicts.get(socket)
  return socket.authorized ? socket.getPeerX509Certificate() : undefined
}

/** Undefined for a client without a verified certificate. */
const verdicts = new WeakMap<TLSSocket, X509Certificate | undefined>()

/** In the order in which they were presented, whoever has issued them; Node calls each one the issuer of the last. */
const presentedBy = (socket: TLSSocket): readonly X509Certificate[] => {
  const presented: X509Certificate[] = []
  let next = socket.getPeerX509Certificate()
  for (; next; next = next.issuerCertificate) presented.push(next)
  return presented
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
