import type { Exchange } from '../../model/exchange/exchange.ts'
import { Headers } from '../../model/exchange/headers.ts'
import type { Cors } from './schema.ts'
import { respond, type Reply } from '../../model/exchange/reply.ts'
import { onReply, onRequest } from '../../pipeline/stage.ts'
import { originPattern } from './origin-pattern.ts'
import type { Phases } from '../phases.ts'
import { applied, skipped } from '../trace-policy.ts'

/**
 * Allows browsers to share replies with pages of other origins (CORS).
 *
 * `request` replies to preflights (OPTIONS with an Origin) with 200, without CORS headers if the origin is not allowed.
 * It comes before everything that requires credentials, which preflights never carry. `reply` adds the headers to
 * replies for allowed origins, refusals included, so that a page can read the reason; it comes after everything else.
 * Every reply has `Vary: Origin`, also those to requests without an Origin: a cache must not give the copy for one page
 * to another.
 *
 * A request of an origin that is not allowed goes on: it is the browser that withholds the reply from the page.
 *
 * @example
 * const { request, reply } = cors(policy)
 * pipe(rescue(pipe(request, auth, backend), faultReply()), reply)
 */
export const cors = (policy: Cors): Phases => {
  const isAllowed = originPattern(policy.allowOrigins)
  const preflight = preflightReply(policy)
  const exposed = policy.exposeHeaders.join(',')
  // Kept from request to reply: a policy in between may remove the Origin.
  const origins = new WeakMap<Exchange, string>()

  return {
    request: onRequest('cors', (x) => {
      const origin = x.request.headers.get('origin')
      if (origin === undefined) {
        x.probe?.record(skipped('cors', 'no Origin header'))
        return undefined
      }
      const allowed = isAllowed(origin)
      if (allowed) x.probe?.record(applied('cors', 'the origin is allowed'))
      else x.probe?.record(skipped('cors', 'the origin is not allowed'))
      if (x.request.method === 'OPTIONS') return allowed ? preflight(x, origin) : respond(200, '')
      if (allowed) origins.set(x, origin)
      return undefined
    }),
    reply: onReply('cors', (x) => {
      if (!x.reply) return
      const { headers } = x.reply
      const origin = origins.get(x)
      if (origin !== undefined) {
        allow(headers, origin, policy.allowCredentials)
        if (exposed) headers.set('access-control-expose-headers', exposed)
      }
      varyByOrigin(headers)
    }),
  }
}

/**
 * With credentials, browsers take `*` for a literal name and not for a wildcard: then the requested names are echoed.
 */
const preflightReply = (policy: Cors): ((x: Exchange, origin: string) => Reply) => {
  const { allowCredentials, maxAgeMs } = policy
  const exposed = policy.exposeHeaders.join(',')
  const anyMethod = policy.allowMethods.includes('*')
  const anyHeader = policy.allowHeaders.includes('*')
  const methods = policy.allowMethods.join(',')
  const names = policy.allowHeaders.join(',')
  const maxAge = maxAgeMs === undefined ? undefined : String(Math.floor(maxAgeMs / 1000))

  return ({ request }, origin) => {
    const headers = new Headers()
    allow(headers, origin, allowCredentials)
    const method =
      anyMethod && allowCredentials
        ? request.headers.get('access-control-request-method')
        : anyMethod
          ? '*'
          : methods
    if (method) headers.append('access-control-allow-methods', method)
    const requested = anyHeader ? request.headers.get('access-control-request-headers') : undefined
    const fields = anyHeader ? spaced(requested ?? '') : names
    if (fields) headers.append('access-control-allow-headers', fields)
    // Browsers read it from the reply itself; clients that are no browsers may look for it here.
    if (exposed) headers.append('access-control-expose-headers', exposed)
    if (maxAge !== undefined) headers.append('access-control-max-age', maxAge)
    return respond(200, '', headers)
  }
}

const allow = (headers: Headers, origin: string, withCredentials: boolean): void => {
  headers.set('access-control-allow-origin', origin)
  if (withCredentials) headers.set('access-control-allow-credentials', 'true')
}

const varyByOrigin = (headers: Headers): void => {
  const vary = headers.get('vary')
  if (vary === undefined) headers.append('vary', 'Origin')
  else if (!coversOrigin.test(vary)) headers.set('vary', `${vary}, Origin`)
}

const coversOrigin = /(?:^|,)\s*(?:origin|\*)\s*(?:,|$)/i

const spaced = (list: string): string =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .join(', ')
