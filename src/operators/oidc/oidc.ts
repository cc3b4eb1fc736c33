import type { Oidc } from './schema.ts'
import type { Request } from '../../model/exchange/request.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import type { Keyring } from '../../protocols/seal/aead-keyring.ts'
import type { IdentityProvider } from '../../upstream/oidc/identity-provider.ts'
import { applied, skipped } from '../trace-policy.ts'
import { beginLogin } from './authorization-request.ts'
import { finishLogin } from './callback.ts'
import { LoginCookies } from './login-cookies.ts'
import { unauthenticated } from './refusals.ts'
import { Sessions } from './session-cookie.ts'

/** The provider, and how sessions are stored. */
export interface OidcOptions {
  readonly policy: Pick<Oidc, 'id' | 'issuer' | 'redirectUri' | 'callbackPath'>
  readonly provider: Pick<IdentityProvider, 'loginUrl' | 'redeem'>
  /** Seals the cookies. */
  readonly ring: Keyring
  /** Milliseconds since the epoch. */
  readonly nowMs?: () => number
  /** Called for each cached session that was evicted. */
  readonly evicted?: () => void
}

/**
 * Lets signed-in browsers pass, with the claims of their ID token in `x.identity`, and redirects others to the
 * provider: 302 to it, back to the redirect address, and from there to the original target. Requests that could not be
 * repeated after that, such as POST, get 401 `oidc_unauthenticated`.
 *
 * Preflight requests pass: browsers send no cookies with them. Belongs before everything that decides by the caller's
 * identity. The gateway stores no state: it is in sealed cookies, which `stripLoginCookies` removes from upstream
 * requests.
 */
export const oidc = ({ policy, provider, ring, nowMs = Date.now, evicted }: OidcOptions): Operator => {
  const cookies = new LoginCookies(policy, ring)
  const sessions = new Sessions(cookies, nowMs, evicted)
  const begin = beginLogin({ cookies, provider, nowMs })
  const finish = finishLogin({ policy, cookies, sessions, provider, nowMs })
  return onRequest('oidc', (x) => {
    const { request } = x
    if (isPreflight(request)) {
      x.probe?.record(skipped('oidc', 'preflight requests carry no cookies'))
      return undefined
    }
    if (isCallback(request, policy.callbackPath)) {
      x.probe?.record(applied('oidc', 'came back from the identity provider'))
      return finish(x)
    }
    const claims = sessions.claimsOf(x)
    if (claims) {
      x.identity = { ...x.identity, jwt: claims }
      x.probe?.record(applied('oidc', 'the session is good'))
      return undefined
    }
    if (!isRepeatable(request)) {
      x.probe?.record(applied('oidc', 'refused: not signed in'))
      return unauthenticated()
    }
    x.probe?.record(applied('oidc', 'sent to log in'))
    return begin(x)
  })
}

const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')

/** Browsers follow no redirects for a WebSocket. */
const isRepeatable = ({ method, upgrade }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') && upgrade === undefined

const isCallback = ({ method, path, query }: Request, callbackPath: string): boolean => {
  if (path !== callbackPath || method !== 'GET') return false
  const parameters = new URLSearchParams(query)
  return parameters.has('state') && (parameters.has('code') || parameters.has('error'))
}
