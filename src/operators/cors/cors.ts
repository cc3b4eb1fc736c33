import type { Exchange } from '../model/exchange.ts'
import { Headers } from '../model/headers.ts'
import type { Cors } from '../model/policies.ts'
import { respond, type Reply } from '../model/reply.ts'
import { onReply, onRequest } from '../pipeline/stage.ts'
import { originPattern } from './origin-pattern.ts'
import type { Phases } from './phases.ts'
import { applied, skipped } from './policy-note.ts'

/**
 * Lets browsers share answers with pages of other origins.
 *
 * `request` answers preflights (OPTIONS with an Origin) with 200, without CORS headers if the origin is not allowed. It
 * comes before everything that asks for credentials, which preflights never carry. `reply` marks the answers for
 * allowed origins, refusals included, so that a page can read why it was refused; it comes after everything else. Every
 * reply says `Vary: Origin`, those to requests without an Origin too: a cache must not give one page's copy to another.
 *
 * A request of an origin that is not allowed goes on: it is the browser that keeps the answer from the page.
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
        x.probe?.note(skipped('cors', 'no Origin header'))
        return undefined
      }
      const allowed = isAllowed(origin)
      if (allowed) x.probe?.note(applied('cors', 'the origin is allowed'))
      else x.probe?.note(skipped('cors', 'the origin is not allowed'))
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

/** With credentials, browsers take a `*` for a name and not for a wildcard: then what was asked for is echoed. */
const preflightReply = (policy: Cors): ((x: Exchange, origin: string) => Reply) => {
  const { allowCredentials, maxAgeMs } = policy
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
    const asked = anyHeader ? request.headers.get('access-control-request-headers') : undefined
    const fields = anyHeader ? spaced(asked ?? '') : names
    if (fields) headers.append('access-control-allow-headers', fields)
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
