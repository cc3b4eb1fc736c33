import type { SecretText } from '../policies/secret-text.ts'

/**
 * How a listener terminates TLS: with a certificate and its key, as files or as texts, or not at all. Files are read,
 * and watched, by `streams/http/tls`.
 */
export interface TlsServer {
  readonly certFile?: string
  readonly keyFile?: string
  readonly certPem?: string
  readonly keyPem?: SecretText
  /** Why every handshake is refused. */
  readonly invalid?: string
  /** The certificate belongs to a CA, which signs certificates for the requested names. */
  readonly minting?: { readonly ttlMs: number; readonly capacity: number }
  /** CA bundle for client certificates, as a file or as text; if present, clients must send one. */
  readonly clientCaFile?: string
  readonly clientCaPem?: string
  /** Clients may also send no certificate, or one that cannot be verified; they are then anonymous. */
  readonly clientCertificates?: 'allowInsecureFallback'
  /** OpenSSL names. */
  readonly cipherSuites?: readonly string[]
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3'
  readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3'
  /** OpenSSL group names, in order of preference. */
  readonly keyExchangeGroups?: readonly string[]
}
