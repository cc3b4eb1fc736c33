import type { Oidc } from '../../../model/oidc.ts'
import type { Exchange } from '../../../model/exchange.ts'
import type { SealRing } from '../../../protocols/seal/seal-ring.ts'
import { cookiesOf } from '../cookies.ts'

/** What the names of all cookies of logins begin with. */
export const RESERVED_PREFIX = 'agw_oidc_'

/** Browsers keep 4096 bytes of a cookie with its attributes, and some of them less. */
const LONGEST_BYTES = 3_800

/** What a cookie keeps: who somebody is, or what a login that has begun must bring back. */
export type CookieKind = 'session' | 'transaction'

/** The sealed cookies of one policy. */
export class LoginCookies {
  /** Name of the session's cookie. */
  readonly session: string
  /** What the names of the cookies of logins under way begin with. */
  readonly transactions: string
  readonly #id: string
  readonly #ring: SealRing
  readonly #attributes: string

  constructor({ id, redirectUri }: Pick<Oidc, 'id' | 'redirectUri'>, ring: SealRing) {
    this.session = `${RESERVED_PREFIX}s_${id}`
    this.transactions = `${RESERVED_PREFIX}t_${id}.`
    this.#id = id
    this.#ring = ring
    // Lax: the provider sends the browser back from another site.
    this.#attributes = `; Path=/; HttpOnly; SameSite=Lax${redirectUri.startsWith('https:') ? '; Secure' : ''}`
  }

  /** The value of a `Set-Cookie` field; undefined if the content is more than a cookie can hold. */
  set(kind: CookieKind, name: string, content: unknown, lifeS: number): string | undefined {
    const pair = `${name}=${this.#ring.seal(JSON.stringify(content), this.#purpose(kind))}`
    if (pair.length > LONGEST_BYTES) return undefined
    return `${pair}; Max-Age=${Math.floor(lifeS)}${this.#attributes}`
  }

  /** The value of a `Set-Cookie` field that makes a browser forget a cookie. */
  forget(name: string): string {
    return `${name}=; Max-Age=0${this.#attributes}`
  }

  /** What was put into a cookie; undefined if it is none of ours, or meant for something else. */
  open(kind: CookieKind, sealed: string): unknown {
    const text = this.#ring.open(sealed, this.#purpose(kind))
    return text === undefined ? undefined : JSON.parse(text)
  }

  /** Names of logins that the browser has begun and not finished, the oldest first. */
  begun(x: Exchange): readonly string[] {
    return cookiesOf(x.request.headers)
      .map(([name]) => name)
      .filter((name) => name.startsWith(this.transactions))
  }

  /** A session cannot be passed off as a transaction, nor one policy's cookie as another's. */
  #purpose(kind: CookieKind): string {
    return `oidc ${kind} ${this.#id}`
  }
}
