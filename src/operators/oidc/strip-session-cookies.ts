import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { removeCookies } from './cookies.ts'
import { RESERVED_PREFIX } from './oidc/login-cookies.ts'

/**
 * Keeps the cookies of logins from upstreams: whoever has one could use it in the name of its user.
 *
 * Belongs behind `oidc`, in every route of a gateway that has logins anywhere: browsers send these cookies to all routes.
 */
export const stripLoginCookies = (): Operator =>
  onRequest('oidc-cookies', ({ request: { headers } }) => {
    if (headers.get('cookie')?.includes(RESERVED_PREFIX))
      removeCookies(headers, (name) => name.startsWith(RESERVED_PREFIX))
  })
