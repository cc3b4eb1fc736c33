import { LRUCache } from 'lru-cache'
import type { Exchange } from '../../../model/exchange.ts'
import type { IdTokenClaims } from '../../../upstream/oidc/login.ts'
import { cookiesOf } from '../cookies.ts'
import type { LoginCookies } from './login-cookies.ts'

/** Who somebody is, as a cookie says it. */
interface Session {
  readonly claims: IdTokenClaims
  /** Seconds since the epoch. */
  readonly until: number
}

const LONGEST_S = 3_600
/** Sessions that are remembered once opened, at some kilobytes each. */
const REMEMBERED = 1_000

/** Sessions, which browsers keep. A session that was opened before costs no decryption, and its claims are the same object. */
export class Sessions {
  readonly #cookies: LoginCookies
  readonly #nowMs: () => number
  readonly #opened: LRUCache<string, Session>

  /** @param evicted Told of each session that has to be decrypted again, for others took its place. */
  constructor(cookies: LoginCookies, nowMs: () => number, evicted?: () => void) {
    this.#opened = new LRUCache({
      max: REMEMBERED,
      dispose: (_session, _sealed, reason) => {
        if (reason === 'evict') evicted?.()
      },
    })
    this.#cookies = cookies
    this.#nowMs = nowMs
  }

  /** The claims of whoever is signed in; undefined if nobody is, or not any more. */
  claimsOf(x: Exchange): IdTokenClaims | undefined {
    if (!x.request.headers.has('cookie')) return undefined
    for (const [name, value] of cookiesOf(x.request.headers)) {
      if (name !== this.#cookies.session) continue
      const session = this.#opened.get(value) ?? this.#open(value)
      if (session && session.until * 1000 > this.#nowMs()) return session.claims
    }
    return undefined
  }

  /** `Set-Cookie` for a session of an hour, or as long as the token is good; undefined if it says more than fits. */
  begin(claims: IdTokenClaims): string | undefined {
    const now = this.#nowMs() / 1000
    const until = Math.min(now + LONGEST_S, claims.exp)
    return this.#cookies.set('session', this.#cookies.session, { claims, until }, until - now)
  }

  #open(sealed: string): Session | undefined {
    const session = this.#cookies.open('session', sealed) as Session | undefined
    if (session) this.#opened.set(sealed, session)
    return session
  }
}
