import { hash, randomBytes } from 'node:crypto'
import { emptyBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Headers } from '../../model/exchange/headers.ts'
import { Reply } from '../../model/exchange/reply.ts'
import type { LoginCookies } from './login-cookies.ts'
import { loginFault } from './refusals.ts'
import type { IdentityProvider } from '../../upstream/oidc/identity-provider.ts'

/** A login in progress, as stored in a cookie of the browser. */
export interface Transaction {
  readonly csrfState: string
  readonly nonce: string
  readonly verifier: string
  /** Path and query of the original request. */
  readonly target: string
  /** Seconds since the epoch. */
  readonly until: number
}

/** How long a login may take. */
export const TRANSACTION_S = 300

/** Logins that a browser may have in progress: each is a cookie that is sent with every request. */
const MOST_TRANSACTIONS = 8

/** Dependencies of a login. */
export interface LoginOptions {
  readonly cookies: LoginCookies
  readonly provider: Pick<IdentityProvider, 'loginUrl'>
  readonly nowMs: () => number
}

/**
 * Redirects a browser to the provider: 302, with a cookie for the state that has to come back, and for the original
 * target.
 *
 * @throws Fault if the provider's endpoint cannot be discovered, or the target is too long to be stored.
 */
export const beginLogin =
  ({ cookies, provider, nowMs }: LoginOptions) =>
  (x: Exchange): Reply | Promise<Reply> => {
    const transactionId = randomText(16)
    const csrfState = randomText(32)
    const nonce = randomText(32)
    const verifier = randomText(32)
    const { path, query } = x.request
    const until = nowMs() / 1000 + TRANSACTION_S
    const transaction: Transaction = { csrfState, nonce, verifier, target: path + query, until }
    const kept = cookies.set('transaction', cookies.transactions + transactionId, transaction, TRANSACTION_S)
    if (kept === undefined) throw loginFault('oidc_cookie_too_large', 'cookie too large')
    const surplus = cookies.begun(x).slice(0, -MOST_TRANSACTIONS + 1)
    const fields = [kept, ...surplus.map((name) => cookies.deleting(name))]

    const secrets = { state: encodeState({ transactionId, csrfState }), nonce, verifier }
    const url = provider.loginUrl(secrets, hash('sha256', verifier, 'base64url'))
    return typeof url === 'string' ? goTo(url, fields) : url.then((found) => goTo(found, fields), failed)
  }

/** Redirects a browser, with cookies. */
export const goTo = (url: string, cookies: readonly string[]): Reply => {
  const headers = new Headers(['location', url, 'cache-control', 'no-store'])
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Reply(302, headers, emptyBody, 'Oidc', 'oidc_redirect')
}

const randomText = (bytes: number): string => randomBytes(bytes).toString('base64url')

const failed = (cause: unknown): never => {
  throw loginFault('oidc_provider_failed', 'the identity provider cannot be asked', cause)
}

/** The content of the `state` parameter: the id of the login, and the proof that the browser began it. */
interface LoginState {
  readonly transactionId: string
  readonly csrfState: string
}

/** The parameter, which the provider returns unchanged. */
const encodeState = ({ transactionId, csrfState }: LoginState): string =>
  Buffer.from(JSON.stringify({ transactionId, csrfState })).toString('base64url')

/** Decodes a parameter; undefined if it was not made here. */
export const decodeState = (text: string): LoginState | undefined => {
  if (!/^[\w-]{1,512}$/.test(text)) return undefined
  try {
    const value = JSON.parse(Buffer.from(text, 'base64url').toString()) as Partial<LoginState> | null
    const { transactionId, csrfState } = value ?? {}
    if (typeof transactionId !== 'string' || typeof csrfState !== 'string') return undefined
    // It becomes part of the name of a cookie.
    return /^[\w-]{1,64}$/.test(transactionId) ? { transactionId, csrfState } : undefined
  } catch {
    return undefined
  }
}
