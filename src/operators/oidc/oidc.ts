import type { Oidc } from '../../model/oidc.ts'
import type { Request } from '../../model/request.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import type { SealRing } from '../../protocols/seal/seal-ring.ts'
import type { IdentityProvider } from '../../upstream/oidc/identity-provider.ts'
import { applied, skipped } from '../policy-note.ts'
import { beginLogin } from './oidc/begin-login.ts'
import { finishLogin } from './oidc/finish-login.ts'
import { LoginCookies } from './oidc/login-cookies.ts'
import { unauthenticated } from './oidc/refusals.ts'
import { Sessions } from './oidc/sessions.ts'

/** Who signs in where. */
export interface OidcOptions {
  readonly policy: Pick<Oidc, 'id' | 'issuer' | 'redirectUri' | 'callbackPath'>
  readonly provider: Pick<IdentityProvider, 'loginUrl' | 'redeem'>
  /** Seals what browsers keep. */
  readonly ring: SealRing
  /** Milliseconds since the epoch. */
  readonly nowMs?: () => number
  /** Told of each session that was remembered and made room for another. */
  readonly evicted?: () => void
}

/**
 * Lets signed-in browsers pass, with the claims of their ID token in `x.identity`, and sends others to the provider: 302
 * to it, back to the redirect address, and from there to what was asked for. Requests that could not be repeated after
 * that, such as POST, get 401 `oidc_unauthenticated`.
 *
 * Preflight requests pass: browsers send no cookies with them. Belongs before everything that decides by who is calling.
 * There is no state: what has to be remembered is in sealed cookies, which `stripLoginCookies` keeps from upstreams.
 */
export const oidc = ({ policy, provider, ring, nowMs = Date.now, evicted }: OidcOptions): Operator => {
  const cookies = new LoginCookies(policy, ring)
  const sessions = new Sessions(cookies, nowMs, evicted)
  const begin = beginLogin({ cookies, provider, nowMs })
  const finish = finishLogin({ policy, cookies, sessions, provider, nowMs })
  return onRequest('oidc', (x) => {
    const { request } = x
    if (isPreflight(request)) {
      x.probe?.note(skipped('oidc', 'preflight requests carry no cookies'))
      return undefined
    }
    if (isCallback(request, policy.callbackPath)) {
      x.probe?.note(applied('oidc', 'came back from the identity provider'))
      return finish(x)
    }
    const claims = sessions.claimsOf(x)
    if (claims) {
      x.identity = { ...x.identity, jwt: claims }
      x.probe?.note(applied('oidc', 'the session is good'))
      return undefined
    }
    if (!isRepeatable(request)) {
      x.probe?.note(applied('oidc', 'refused: not signed in'))
      return unauthenticated()
    }
    x.probe?.note(applied('oidc', 'sent to log in'))
    return begin(x)
  })
}

const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')

/** Nobody follows redirects of a WebSocket. */
const isRepeatable = ({ method, upgrade }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') && upgrade === undefined

const isCallback = ({ method, path, query }: Request, callbackPath: string): boolean => {
  if (path !== callbackPath || method !== 'GET') return false
  const parameters = new URLSearchParams(query)
  return parameters.has('state') && (parameters.has('code') || parameters.has('error'))
}
