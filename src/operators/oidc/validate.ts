import type * as File from '../../config/schema/file-types.gen.ts'
import { child } from '../../config/document/json-pointer.ts'
import { checkJwks } from '../jwt-auth/validate.ts'
import { policyContainers } from '../../config/validate/policy-locations.ts'
import type { Check, ValidationContext } from '../../config/validate/context.ts'

/** Checks for logins that could not work, or could be intercepted. */
export const checkOidc: Check = (view) => {
  for (const { policies, pointer } of policyContainers(view)) {
    const { oidc } = policies
    if (oidc === undefined) continue
    const at = child(pointer, 'oidc')
    examineEndpoints(view, oidc, at)
    examineRedirect(view, oidc, at)
    if (typeof oidc.clientSecret !== 'string')
      view.fileText(child(child(at, 'clientSecret'), 'file'), oidc.clientSecret.file)
    if (isUnprotected(oidc.issuer))
      view.warning(
        child(at, 'issuer'),
        'oidc_over_http',
        'the identity provider is asked without TLS: whoever is in between can read the client secret and sign in as anybody',
      )
  }
}

const EXPLICIT = ['authorizationEndpoint', 'tokenEndpoint', 'jwks'] as const

function examineEndpoints(view: ValidationContext, oidc: File.Oidc, pointer: string): void {
  const given = EXPLICIT.filter((name) => oidc[name] !== undefined)
  const missing = EXPLICIT.filter((name) => oidc[name] === undefined)
  if (given.length > 0 && missing.length > 0)
    view.problem(pointer, `${EXPLICIT.join(', ')} belong together: there is no ${missing.join(' and no ')}`)
  if (given.length > 0 && oidc.discovery !== undefined)
    view.problem(child(pointer, 'discovery'), `cannot be combined with ${given.join(', ')}`)
  if (oidc.jwks !== undefined) checkJwks(view, oidc.jwks, child(pointer, 'jwks'))
}

function examineRedirect(view: ValidationContext, { redirectURI }: File.Oidc, pointer: string): void {
  const at = child(pointer, 'redirectURI')
  const value = redirectURI
  if (redirectURI.includes('?')) view.wrongValue(at, 'must have no query', { value })
  if (isUnprotected(redirectURI))
    view.warning(
      at,
      'oidc_over_http',
      'browsers come back without TLS: whoever is in between can take over their sessions',
    )
}

const isUnprotected = (text: string): boolean => {
  const { protocol, hostname } = new URL(text)
  return protocol === 'http:' && !LOOPBACK.test(hostname)
}

const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/
