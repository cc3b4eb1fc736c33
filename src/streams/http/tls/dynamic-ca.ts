import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import type { LRUCache } from 'lru-cache'
import { type SigningAuthority, issueLeaf } from '../../../protocols/x509/issue-leaf.ts'
import { boundedCache } from '../../../model/introspection/bounded-cache.ts'

/** How many certificates are kept, and for how long. */
export interface MintingCache {
  readonly ttlMs: number
  readonly capacity: number
}

/** A certificate is valid for far longer than it is cached, even if a client's clock is wrong by the skew. */
const LIFE_MS = 24 * 3_600_000
const SKEW_MS = 3_600_000

/**
 * Certificates for the names that clients request, signed by a CA on first use. All share one key, generated at start
 * and never written to disk: a key per name would cost more than everything else.
 */
export class MintedCertificates {
  readonly #authority: SigningAuthority
  readonly #chain: string
  readonly #options: SecureContextOptions
  readonly #kept: LRUCache<string, SecureContext>
  readonly #key = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })

  /** @throws Error if the certificate is not a CA certificate, or the key does not match it. */
  constructor(
    { cert, key }: { readonly cert: string | Buffer; readonly key: string | Buffer },
    { ttlMs, capacity }: MintingCache,
    options: SecureContextOptions,
  ) {
    const certificate = new X509Certificate(cert)
    if (!certificate.ca) throw new Error('the certificate is not one of an authority')
    this.#authority = { certificate, key: createPrivateKey(key) }
    if (!certificate.checkPrivateKey(this.#authority.key))
      throw new Error('the key is not that of the certificate')
    this.#chain = String(cert)
    this.#options = options
    this.#kept = boundedCache<string, SecureContext>('issued_certificates', { max: capacity, ttl: ttlMs })
  }

  /** The context of a handshake with a name; undefined if it is not a valid name. */
  contextFor(serverName: string): SecureContext | undefined {
    const name = serverName.toLowerCase().replace(/\.$/, '')
    if (name.length > 253 || !DNS_NAME.test(name)) return undefined
    const kept = this.#kept.get(name)
    if (kept) return kept
    const now = Date.now()
    const leaf = issueLeaf(this.#authority, {
      name,
      publicKey: this.#key.publicKey,
      notBefore: new Date(now - SKEW_MS),
      notAfter: new Date(now + LIFE_MS),
    })
    const context = createSecureContext({
      ...this.#options,
      cert: leaf + this.#chain,
      key: this.#key.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    })
    this.#kept.set(name, context)
    return context
  }
}

/** Labels of letters, digits, `-` and `_`; not an address. */
const DNS_NAME =
  /^(?!(?:\d+\.){3}\d+$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
