import type { Exchange } from '../../model/exchange/exchange.ts'
import type { IdTokenClaims } from '../../upstream/oidc/oidc-client.ts'
import { ExpiringCache } from '../../upstream/expiring-cache.ts'
import { cookiesOf } from '../credentials/cookies.ts'
import type { LoginCookies } from './login-cookies.ts'

/** The identity of a user, as stored in a cookie. */
interface Session {
  readonly claims: IdTokenClaims
  /** Seconds since the epoch. */
  readonly until: number
}

const LONGEST_S = 3_600
/** Sessions that are cached once opened. */
const MAX_CACHED = 1_000
const MAX_BYTES = 8 * 1024 * 1024

/** Sessions, which browsers store. A cached session costs no decryption, and its claims are the same object. */
export class Sessions {
  readonly #cookies: LoginCookies
  readonly #nowMs: () => number
  readonly #opened: ExpiringCache<Session>

  /** @param evicted Called for each session that was evicted, and will have to be decrypted again. */
  constructor(cookies: LoginCookies, nowMs: () => number, evicted?: () => void) {
    this.#opened = new ExpiringCache({
      name: 'logins',
      maxEntries: MAX_CACHED,
      maxBytes: MAX_BYTES,
      // The cookie, and the claims that it seals.
      bytesOf: (_session, sealed) => sealed.length * 3 + 512,
      onEvict: evicted,
      now: nowMs,
    })
    this.#cookies = cookies
    this.#nowMs = nowMs
  }

  /** The claims of the signed-in user; undefined if there is no valid session. */
  claimsOf(x: Exchange): IdTokenClaims | undefined {
    if (!x.request.headers.has('cookie')) return undefined
    for (const [name, value] of cookiesOf(x.request.headers)) {
      if (name !== this.#cookies.session) continue
      const session = this.#opened.get(value) ?? this.#open(value)
      if (session && session.until * 1000 > this.#nowMs()) return session.claims
    }
    return undefined
  }

  /**
   * `Set-Cookie` for a session of an hour, or for as long as the token is valid; undefined if the claims do not fit.
   */
  begin(claims: IdTokenClaims): string | undefined {
    const now = this.#nowMs() / 1000
    const until = Math.min(now + LONGEST_S, claims.exp)
    return this.#cookies.set('session', this.#cookies.session, { claims, until }, until - now)
  }

  #open(sealed: string): Session | undefined {
    const session = this.#cookies.open('session', sealed) as Session | undefined
    if (session) this.#opened.set(sealed, session, session.until * 1000 - this.#nowMs())
    return session
  }
}
