import { timingSafeEqual } from 'node:crypto'
import type { Oidc } from './schema.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { IdentityProvider } from '../../upstream/oidc/identity-provider.ts'
import { LoginFailure } from '../../upstream/oidc/login-failure.ts'
import { cookiesOf } from '../credentials/cookies.ts'
import { goTo, type Transaction, decodeState } from './authorization-request.ts'
import type { LoginCookies } from './login-cookies.ts'
import { callbackRefused, loginFault } from './refusals.ts'
import type { Sessions } from './session-cookie.ts'

/** Dependencies of a callback. */
export interface CallbackOptions {
  readonly policy: Pick<Oidc, 'issuer' | 'redirectUri'>
  readonly cookies: LoginCookies
  readonly sessions: Sessions
  readonly provider: Pick<IdentityProvider, 'redeem'>
  readonly nowMs: () => number
}

/**
 * Handles the redirect back from the provider: starts a session, and redirects the browser to its original target on
 * this host.
 *
 * Refuses with 400 `oidc_callback_refused` what does not belong to a login of this browser.
 *
 * @throws Fault if the provider does not give a valid ID token for the code.
 */
export const finishLogin = ({ policy, cookies, sessions, provider, nowMs }: CallbackOptions) => {
  const { origin } = new URL(policy.redirectUri)

  /**
   * The cookie of a transaction; the first one that opens counts, because other sites may plant cookies of the same
   * name.
   */
  const transactionCookie = (x: Exchange, name: string): Transaction | undefined => {
    for (const [one, value] of cookiesOf(x.request.headers)) {
      const transaction = one === name ? cookies.open('transaction', value) : undefined
      if (transaction !== undefined) return transaction as Transaction
    }
    return undefined
  }

  return (x: Exchange): Reply | Promise<Reply> => {
    const parameters = new URLSearchParams(x.request.query)
    if (ONCE.some((name) => parameters.getAll(name).length > 1)) return callbackRefused('invalid callback')
    if (NEVER.some((name) => parameters.has(name))) return callbackRefused('invalid callback')
    const text = parameters.get('state') ?? ''
    const state = decodeState(text)
    if (!state) return callbackRefused('invalid state')
    const name = cookies.transactions + state.transactionId
    const transaction = transactionCookie(x, name)
    if (!transaction) return callbackRefused('missing transaction')

    // From here on the login is known to be of this browser: whatever its outcome, it is over.
    const over = [cookies.deleting(name)]
    if (transaction.until * 1000 <= nowMs()) return callbackRefused('transaction expired', over)
    if (!isSame(state.csrfState, transaction.csrfState)) return callbackRefused('csrf mismatch', over)
    // RFC 9207: a response of another provider must not be mixed up with one of this.
    const from = parameters.get('iss')
    if (from !== null && from !== policy.issuer) return callbackRefused('issuer mismatch', over)
    const error = parameters.get('error')
    if (error !== null) return callbackRefused(`provider error${wordIn(error)}`, over)

    const { nonce, verifier, target } = transaction
    return provider.redeem(x.request.query, { state: text, nonce, verifier }).then(
      (claims) => {
        const session = sessions.begin(claims)
        if (session === undefined) throw loginFault('oidc_cookie_too_large', 'cookie too large')
        // Never the target alone: `//example.org` would be another host.
        return goTo(origin + target, [session, ...over])
      },
      (failure: unknown) => {
        if (!(failure instanceof LoginFailure)) throw failure
        if (failure.kind === 'nonce') return callbackRefused(failure.message, over)
        throw loginFault(CODES[failure.kind], failure.message, failure)
      },
    )
  }
}

/** Parameters that must not be repeated, since it would be open which value counts. */
const ONCE = ['state', 'code', 'error', 'iss']
/** Parameters of other flows, which are not supported here. */
const NEVER = ['response', 'id_token', 'token', 'access_token']

const CODES = {
  provider: 'oidc_provider_failed',
  token: 'oidc_token_exchange_failed',
  id_token: 'oidc_id_token_invalid',
} as const

const isSame = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The error code, if it is one (RFC 6749 §4.1.2.1), and not arbitrary text from a forged link. */
const wordIn = (error: string): string => (/^[a-z_]{1,40}$/.test(error) ? `: ${error}` : '')
