import { Fault } from '../../../model/fault.ts'
import { deny, type Reply } from '../../../model/reply.ts'

/** Something that a login needs did not work: 500, as the reference has it. */
export const loginFault = (code: string, why: string, cause?: unknown): Fault =>
  new Fault(code, `oidc failure: ${why}`, { status: 500, reason: 'Oidc', cause })

/** What a browser brought back is not what it was sent away with. */
export const callbackRefused = (why: string, cookies: readonly string[] = []): Reply => {
  const reply = deny(400, 'oidc_callback_refused', { message: `oidc failure: ${why}`, reason: 'Oidc' })
  reply.headers.set('cache-control', 'no-store')
  for (const cookie of cookies) reply.headers.append('set-cookie', cookie)
  return reply
}

/** Whoever is not signed in, and cannot be sent to log in: what was asked for could not be repeated afterwards. */
export const unauthenticated = (): Reply =>
  deny(401, 'oidc_unauthenticated', {
    message: 'oidc failure: authentication required',
    reason: 'Oidc',
    headers: { 'www-authenticate': 'OpenID' },
  })
