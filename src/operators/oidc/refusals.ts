import { Fault } from '../../model/exchange/fault.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'

/** A dependency of the login failed: 500, as in the reference implementation. */
export const loginFault = (code: string, why: string, cause?: unknown): Fault =>
  new Fault(code, `oidc failure: ${why}`, { status: 500, reason: 'Oidc', cause })

/** The parameters of a callback do not match the login that the browser began. */
export const callbackRefused = (why: string, cookies: readonly string[] = []): Reply => {
  const reply = deny(400, 'oidc_callback_refused', { message: `oidc failure: ${why}`, reason: 'Oidc' })
  reply.headers.set('cache-control', 'no-store')
  for (const cookie of cookies) reply.headers.append('set-cookie', cookie)
  return reply
}

/**
 * Refuses a caller that is not signed in and cannot be redirected to a login, since the request could not be repeated
 * afterwards.
 */
export const unauthenticated = (): Reply =>
  deny(401, 'oidc_unauthenticated', {
    message: 'oidc failure: authentication required',
    reason: 'Oidc',
    headers: { 'www-authenticate': 'OpenID' },
  })
