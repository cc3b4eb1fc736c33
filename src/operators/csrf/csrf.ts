import type { Csrf } from './schema.ts'
import { deny } from '../../model/exchange/reply.ts'
import type { Request } from '../../model/exchange/request.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { applied } from '../trace-policy.ts'

/**
 * Refuses with 403 `csrf_failed` requests that a page of another site made a browser send.
 *
 * GET, HEAD and OPTIONS pass, since they must change nothing. Of the others,
 * - `Sec-Fetch-Site: same-origin` and `none` (typed, or from a bookmark) pass: pages cannot forge that field;
 * - so do those whose Origin is the requested address, or is listed;
 * - any other Origin is refused, above all `null`: sandboxed frames and redirects send it;
 * - without an Origin, a `Sec-Fetch-Site` of `same-site`, `cross-site` or an unknown value is refused. With neither
 *   field there is no browser (all of them send Origin with unsafe methods), and nothing to forge: curl and SDKs pass.
 *
 * Belongs after authentication: it protects the credentials that browsers add by themselves. Behind a proxy that
 * terminates TLS the gateway sees `http` where browsers send `https`: list the origin then.
 */
export const csrf = ({ additionalOrigins }: Csrf): Operator => {
  const listed = new Set(additionalOrigins.map((origin) => origin.toLowerCase()))
  listed.delete('null')
  return onRequest('csrf', (x) => {
    if (isSafe(x.request.method) || isOurs(x.request, listed)) return undefined
    x.probe?.record(applied('csrf', 'refused a request of another site'))
    return deny(403, 'csrf_failed', { message: 'CSRF validation failed' })
  })
}

const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

const isOurs = (request: Request, listed: ReadonlySet<string>): boolean => {
  const site = request.headers.get('sec-fetch-site')
  if (site === 'same-origin' || site === 'none') return true
  const origin = request.headers.get('origin')
  if (origin === undefined) return site === undefined
  const text = origin.toLowerCase()
  return text === ownOrigin(request) || listed.has(text)
}

/** Browsers leave out the default port; clients may write it into Host. */
const ownOrigin = ({ scheme, received }: Request): string => {
  const { authority } = received
  const port = scheme === 'https' ? ':443' : ':80'
  return `${scheme}://${authority.endsWith(port) ? authority.slice(0, -port.length) : authority}`
}
