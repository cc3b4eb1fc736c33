import { compactVerify } from 'jose'
import { hash } from 'node:crypto'
import { Secret } from '../../cel/context/headers-view.ts'
import {
  goodForMs,
  invalid,
  type JwtIssuer,
  type TokenRefusal,
  wrongClaims,
  wrongIssuer,
  wrongTime,
} from './issuer.ts'
import type { KeyRing } from '../../protocols/jwk/key-ring.ts'
import type { VerificationKey } from '../../protocols/jwk/verification-key.ts'
import { MAX_TOKEN_LENGTH, type SignedText } from '../../protocols/jwt/compact-jws.ts'
import { type Claims, readToken, type Token } from '../../protocols/jwt/jwt.ts'
import { ExpiringCache } from '../../upstream/expiring-cache.ts'
import { trackCache } from '../../model/introspection/cache-usage.ts'

/** Whether a text is signed with a key, by the algorithm that it names. Every failure counts as a wrong signature. */
export const isSignedWith = async (
  { key }: VerificationKey,
  { text, algorithm }: Pick<SignedText, 'text' | 'algorithm'>,
): Promise<boolean> => {
  try {
    await compactVerify(text, key, { algorithms: [algorithm] })
    return true
  } catch {
    return false
  }
}

/** The cached result for a valid token. */
export interface VerifiedToken {
  readonly text: string
  /** Its claims, and the token itself as a secret: the value of `jwt` in expressions. The same object each time. */
  readonly jwt: Claims
}

/** The result of a verification. */
export type Verification = VerifiedToken | TokenRefusal

/** Clock and callbacks of the cache. */
export interface VerifierOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  /** Called when a token was evicted to make room. */
  readonly evicted?: () => void
}

const MAX_TOKENS = 10_000
const MAX_BYTES = 8 * 1024 * 1024
/** This many are also found by their text: hashing a token takes 1.7 of the 2.4 µs of a lookup by hash. */
const MAX_LATEST = 64
/** The size of a token in memory, in bytes: its text, its claims, and the entries that lead to it. */
const bytesOf = ({ verified }: CachedToken): number => verified.text.length * 3 + 512
/** A token without an expiry, or with a late one, is verified again after this time. */
const MAX_TTL_MS = 3_600_000

/**
 * Verifies tokens, and caches valid ones until they expire or the keys change. The first verification costs a signature
 * check and a promise; every further one costs a hash, and its result is synchronous. Only hashes are compared, and the
 * cache is bounded.
 */
export class TokenVerifier {
  readonly #issuers: readonly JwtIssuer[]
  readonly #now: () => number
  readonly #cache: ExpiringCache<CachedToken>
  readonly #latest = trackCache('latest_tokens', new Map<string, CachedToken>(), { maxEntries: MAX_LATEST })
  /** The last of those: comparing a text takes a tenth of the 1 µs that hashing it for the map takes. */
  #last: { readonly text: string; readonly token: CachedToken } | undefined = undefined

  constructor(issuers: readonly JwtIssuer[], { now = Date.now, evicted }: VerifierOptions = {}) {
    this.#issuers = issuers
    this.#now = now
    this.#cache = new ExpiringCache({
      name: 'tokens',
      maxEntries: MAX_TOKENS,
      maxBytes: MAX_BYTES,
      bytesOf,
      now,
      onEvict: evicted,
      onRemove: (token) => {
        this.#latest.delete(token.verified.text)
        if (this.#last?.token === token) this.#last = undefined
      },
    })
  }

  /** Number of cached tokens. */
  get size(): number {
    return this.#cache.size
  }

  /** Their estimated size in memory, in bytes. */
  get bytes(): number {
    return this.#cache.bytes
  }

  /** Removes expired tokens. Called every 30 seconds. */
  sweep(): void {
    this.#cache.sweep()
  }

  /** Synchronous if the token is cached, or if its signature need not be checked. */
  verify(text: string): Verification | Promise<Verification> {
    if (text.length > MAX_TOKEN_LENGTH) return refusalOf(readToken(text))
    const latest = this.#last?.text === text ? this.#last.token : this.#latest.get(text)
    if (latest && isCurrent(latest)) {
      if (this.#last?.token !== latest) this.#last = { text, token: latest }
      return wrongTime(latest.verified.jwt, this.#now()) ?? latest.verified
    }
    const digest = hash('sha256', text, 'base64')
    const cached = this.#cache.get(digest)
    if (cached && isCurrent(cached)) {
      const wrong = wrongTime(cached.verified.jwt, this.#now())
      if (!wrong) return this.#recall(text, cached)
      this.#cache.delete(digest)
      return wrong
    }
    const token = readToken(text)
    if (!('claims' in token)) return refusalOf(token)
    // The claims are not verified yet, but a token that is wrong by its own claims needs no signature check.
    const wrong = wrongTime(token.claims, this.#now())
    if (wrong) return wrong
    const named = this.#issuers.filter(({ issuer }) => issuer === token.claims.iss)
    if (named.length === 0) return this.#fromOther(token)
    const found = find(named, token)
    return found ? this.#verify(token, found, digest) : this.#seek(token, named, digest)
  }

  async close(): Promise<void> {
    await this.destroy()
  }

  /** Clears the cache. */
  destroy(): Promise<void> {
    this.#cache.clear()
    this.#latest.clear()
    this.#last = undefined
    return Promise.resolve()
  }

  #recall(text: string, token: CachedToken): VerifiedToken {
    if (this.#latest.size >= MAX_LATEST) this.#latest.clear()
    this.#latest.set(text, token)
    return token.verified
  }

  async #verify(token: Token, { issuer, ring, key }: Found, digest: string): Promise<Verification> {
    const wrong = wrongClaims(issuer, token.claims)
    if (wrong) return wrong
    if (!key) return wrongAlgorithm
    if (!(await isSignedWith(key, token))) return wrongSignature
    const jwt: Claims = Object.freeze({ ...token.claims, rawToken: new Secret(token.text) })
    const verified = { text: token.text, jwt }
    this.#cache.set(digest, { verified, issuer, ring }, Math.min(goodForMs(jwt, this.#now()), MAX_TTL_MS))
    return verified
  }

  /** Unknown keys are requested only from the issuer that the token names. */
  async #seek(token: Token, named: readonly JwtIssuer[], digest: string): Promise<Verification> {
    await Promise.all(named.map(({ keys }) => keys.seek(token.keyId)))
    const found = find(named, token)
    if (found) return this.#verify(token, found, digest)
    return named.some(({ keys }) => !keys.ring) ? keysUnavailable : unknownKey(token)
  }

  #fromOther(token: Token): TokenRefusal {
    return this.#issuers.some(({ keys }) => keys.ring?.has(token.keyId)) ? wrongIssuer : unknownKey(token)
  }
}

/** The key that a token names, of the issuer that it names. */
const find = (named: readonly JwtIssuer[], { keyId, algorithm }: Token): Found | undefined => {
  for (const issuer of named) {
    const { ring } = issuer.keys
    if (ring?.has(keyId)) return { issuer, ring, key: ring.find(keyId, algorithm) }
  }
  return undefined
}

/** There are no keys to verify with, which is no fault of the client. */
export const keysUnavailable: TokenRefusal = {
  code: 'jwt_keys_unavailable',
  message: 'the keys to verify the token with are not available',
}

interface Found {
  readonly issuer: JwtIssuer
  readonly ring: KeyRing
  /** Undefined if the key with this id does not fit the algorithm. */
  readonly key: VerificationKey | undefined
}

interface CachedToken {
  readonly verified: VerifiedToken
  readonly issuer: JwtIssuer
  /** The keys it was verified with. */
  readonly ring: KeyRing
}

const wrongAlgorithm: TokenRefusal = {
  code: 'jwt_wrong_algorithm',
  message: invalid('its key is not one for its algorithm'),
}

const wrongSignature: TokenRefusal = {
  code: 'jwt_wrong_signature',
  message: invalid('its signature is wrong'),
}

const refusalOf = (token: ReturnType<typeof readToken>): TokenRefusal => {
  if ('claims' in token) return wrongSignature
  const { code, message } = token
  return code === 'jwt_without_kid'
    ? { code, message: 'the token header does not specify a `kid`' }
    : { code, message: invalid(message) }
}

const unknownKey = ({ keyId }: Token): TokenRefusal => ({
  code: 'jwt_unknown_key',
  message: `token uses the unknown key ${JSON.stringify(printable(keyId))}`,
})

const printable = (id: string): string => id.slice(0, 64).replace(/[^\x20-\x7e]/g, '?')

/** The keys it was verified with are still those of its issuer. */
const isCurrent = ({ issuer, ring }: CachedToken): boolean => issuer.keys.ring === ring
