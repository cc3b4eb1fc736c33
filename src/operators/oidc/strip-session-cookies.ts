import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { removeCookies } from '../credentials/cookies.ts'
import { RESERVED_PREFIX } from './login-cookies.ts'

/**
 * Removes the cookies of logins from upstream requests: an upstream could use them to act as the user.
 *
 * Belongs behind `oidc`, in every route of a gateway that has logins anywhere: browsers send these cookies to all
 * routes.
 */
export const stripLoginCookies = (): Operator =>
  onRequest('oidc-cookies', ({ request: { headers } }) => {
    if (headers.get('cookie')?.includes(RESERVED_PREFIX))
      removeCookies(headers, (name) => name.startsWith(RESERVED_PREFIX))
  })
