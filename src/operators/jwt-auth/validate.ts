import { readKeyRing } from '../../protocols/jwk/key-ring.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import { child } from '../../config/document/json-pointer.ts'
import { policyContainers } from '../../config/validate/policy-locations.ts'
import type { Check, ValidationContext } from '../../config/validate/context.ts'

/** Checks for unusable keys, and for tokens that are accepted too easily. */
export const checkJwtAuth: Check = (view) => {
  for (const { policies, pointer } of policyContainers(view)) {
    const { jwtAuth } = policies
    if (jwtAuth === undefined) continue
    const at = child(pointer, 'jwtAuth')
    if (!('providers' in jwtAuth)) examineProvider(view, jwtAuth, at)
    else
      for (const provider of view.items(jwtAuth.providers, child(at, 'providers')))
        examineProvider(view, provider.value, provider.pointer)
  }
}

function examineProvider(
  view: ValidationContext,
  { audiences, jwks }: File.JwtProvider,
  pointer: string,
): void {
  if (audiences === undefined)
    view.warning(
      pointer,
      'jwt_without_audiences',
      'without audiences, tokens that the issuer made for other services are accepted',
    )
  checkJwks(view, jwks, child(pointer, 'jwks'))
}

/** Checks the keys of an issuer, if available. */
export function checkJwks(view: ValidationContext, jwks: File.Jwks, pointer: string): void {
  if (typeof jwks === 'string') {
    examineKeys(view, jwks, pointer)
    return
  }
  const { file, url, keys, readiness } = jwks
  if (url === undefined && readiness !== undefined)
    view.problem(child(pointer, 'readiness'), 'readiness is about keys at an address: it requires url')
  if (keys !== undefined) examineKeys(view, JSON.stringify({ keys }), child(pointer, 'keys'))
  if (file !== undefined) {
    const at = child(pointer, 'file')
    const text = view.fileText(at, file)
    if (text !== undefined) examineKeys(view, text, at)
  }
  if (url !== undefined && isUnprotected(url))
    view.warning(
      child(pointer, 'url'),
      'jwks_over_http',
      'the keys are fetched without TLS: whoever is in between can make tokens',
    )
}

function examineKeys(view: ValidationContext, text: string, pointer: string): void {
  const ring = readKeyRing(text)
  if ('problem' in ring) {
    view.problem(pointer, `the key set ${ring.problem}`)
    return
  }
  if (ring.ids.length === 0) {
    view.problem(pointer, 'the key set has no key that tokens can be verified with', ring.ignored.join('; '))
    return
  }
  for (const reason of ring.ignored)
    view.warning(pointer, 'jwks_key_ignored', `no token is verified with one of the keys: ${reason}`)
}

const isUnprotected = (text: string): boolean => {
  const { protocol, hostname } = new URL(text)
  return protocol === 'http:' && !LOOPBACK.test(hostname)
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/
