import type { Oidc } from './schema.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Keyring } from '../../protocols/seal/aead-keyring.ts'
import { cookiesOf } from '../credentials/cookies.ts'

/** Prefix of the names of all cookies of logins. */
export const RESERVED_PREFIX = 'agw_oidc_'

/** Browsers store 4096 bytes of a cookie with its attributes, and some of them less. */
const LONGEST_BYTES = 3_800

/** The content of a cookie: a session, or a login in progress. */
export type CookieKind = 'session' | 'transaction'

/** The sealed cookies of one policy. */
export class LoginCookies {
  /** Name of the session's cookie. */
  readonly session: string
  /** Prefix of the names of the cookies of logins in progress. */
  readonly transactions: string
  readonly #id: string
  readonly #ring: Keyring
  readonly #attributes: string

  constructor({ id, redirectUri }: Pick<Oidc, 'id' | 'redirectUri'>, ring: Keyring) {
    this.session = `${RESERVED_PREFIX}s_${id}`
    this.transactions = `${RESERVED_PREFIX}t_${id}.`
    this.#id = id
    this.#ring = ring
    // Lax: the provider redirects the browser back from another site.
    this.#attributes = `; Path=/; HttpOnly; SameSite=Lax${redirectUri.startsWith('https:') ? '; Secure' : ''}`
  }

  /** The value of a `Set-Cookie` field; undefined if the content does not fit into a cookie. */
  set(kind: CookieKind, name: string, content: unknown, lifeS: number): string | undefined {
    const pair = `${name}=${this.#ring.seal(JSON.stringify(content), this.#purpose(kind))}`
    if (pair.length > LONGEST_BYTES) return undefined
    return `${pair}; Max-Age=${Math.floor(lifeS)}${this.#attributes}`
  }

  /** The value of a `Set-Cookie` field that deletes a cookie. */
  deleting(name: string): string {
    return `${name}=; Max-Age=0${this.#attributes}`
  }

  /** The content of a cookie; undefined if it was not made by this policy for this purpose. */
  open(kind: CookieKind, sealed: string): unknown {
    const text = this.#ring.open(sealed, this.#purpose(kind))
    return text === undefined ? undefined : JSON.parse(text)
  }

  /** Names of the logins that the browser has in progress, the oldest first. */
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
