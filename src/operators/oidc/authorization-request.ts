import { hash, randomBytes } from 'node:crypto'
import { emptyBody } from '../../../model/body.ts'
import type { Exchange } from '../../../model/exchange.ts'
import { Headers } from '../../../model/headers.ts'
import { Reply } from '../../../model/reply.ts'
import type { IdentityProvider } from '../../../upstream/oidc/identity-provider.ts'
import type { LoginCookies } from './login-cookies.ts'
import { loginFault } from './refusals.ts'
import { encodeState } from './state.ts'
import { type Transaction, TRANSACTION_S } from './transaction.ts'

/** Logins that a browser may have begun at a time: each is a cookie that comes with every request. */
const MOST_TRANSACTIONS = 8

/** What beginning a login takes. */
export interface LoginOptions {
  readonly cookies: LoginCookies
  readonly provider: Pick<IdentityProvider, 'loginUrl'>
  readonly nowMs: () => number
}

/**
 * Sends a browser to the provider: 302, with a cookie that holds what has to come back, and where it wanted to go.
 *
 * @throws Fault if the provider cannot be asked where that is, or the address is too long to be kept.
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
    const fields = [kept, ...surplus.map((name) => cookies.forget(name))]

    const secrets = { state: encodeState({ transactionId, csrfState }), nonce, verifier }
    const url = provider.loginUrl(secrets, hash('sha256', verifier, 'base64url'))
    return typeof url === 'string' ? goTo(url, fields) : url.then((found) => goTo(found, fields), failed)
  }

/** Sends a browser elsewhere, with cookies. */
export const goTo = (url: string, cookies: readonly string[]): Reply => {
  const headers = new Headers(['location', url, 'cache-control', 'no-store'])
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Reply(302, headers, emptyBody, 'Oidc', 'oidc_redirect')
}

const randomText = (bytes: number): string => randomBytes(bytes).toString('base64url')

const failed = (cause: unknown): never => {
  throw loginFault('oidc_provider_failed', 'the identity provider cannot be asked', cause)
}
