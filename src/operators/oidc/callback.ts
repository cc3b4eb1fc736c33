import { timingSafeEqual } from 'node:crypto'
import type { Oidc } from '../../../model/oidc.ts'
import type { Exchange } from '../../../model/exchange.ts'
import type { Reply } from '../../../model/reply.ts'
import type { IdentityProvider } from '../../../upstream/oidc/identity-provider.ts'
import { LoginFailure } from '../../../upstream/oidc/login-failure.ts'
import { cookiesOf } from '../cookies.ts'
import { goTo } from './begin-login.ts'
import type { LoginCookies } from './login-cookies.ts'
import { callbackRefused, loginFault } from './refusals.ts'
import type { Sessions } from './sessions.ts'
import { decodeState } from './state.ts'
import type { Transaction } from './transaction.ts'

/** What finishing a login takes. */
export interface CallbackOptions {
  readonly policy: Pick<Oidc, 'issuer' | 'redirectUri'>
  readonly cookies: LoginCookies
  readonly sessions: Sessions
  readonly provider: Pick<IdentityProvider, 'redeem'>
  readonly nowMs: () => number
}

/**
 * Takes a browser back from the provider: gives it a session, and sends it to where it wanted to go, on this host.
 *
 * Answers 400 `oidc_callback_refused` to what this browser cannot have been sent back with.
 *
 * @throws Fault if the provider does not give a good ID token for the code.
 */
export const finishLogin = ({ policy, cookies, sessions, provider, nowMs }: CallbackOptions) => {
  const { origin } = new URL(policy.redirectUri)

  /** The cookie of a transaction; the first that opens counts, because other sites may plant cookies of the same name. */
  const kept = (x: Exchange, name: string): Transaction | undefined => {
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
    const transaction = kept(x, name)
    if (!transaction) return callbackRefused('missing transaction')

    // From here on the browser is known to have begun a login: whatever comes of it, it is over.
    const over = [cookies.forget(name)]
    if (transaction.until * 1000 <= nowMs()) return callbackRefused('transaction expired', over)
    if (!isSame(state.csrfState, transaction.csrfState)) return callbackRefused('csrf mismatch', over)
    // RFC 9207: an answer of another provider is not mixed up with one of this.
    const from = parameters.get('iss')
    if (from !== null && from !== policy.issuer) return callbackRefused('issuer mismatch', over)
    const error = parameters.get('error')
    if (error !== null) return callbackRefused(`provider error${wordIn(error)}`, over)

    const { nonce, verifier, target } = transaction
    return provider.redeem(x.request.query, { state: text, nonce, verifier }).then(
      (claims) => {
        const session = sessions.begin(claims)
        if (session === undefined) throw loginFault('oidc_cookie_too_large', 'cookie too large')
        // Never the target alone: `//elsewhere` would be another host.
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

/** Parameters whose repetition would leave open which one counts. */
const ONCE = ['state', 'code', 'error', 'iss']
/** Parameters of other flows, which this one has no use for. */
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

/** The word for what is wrong, if it is one (RFC 6749 §4.1.2.1), and not a text that somebody put into a link. */
const wordIn = (error: string): string => (/^[a-z_]{1,40}$/.test(error) ? `: ${error}` : '')
