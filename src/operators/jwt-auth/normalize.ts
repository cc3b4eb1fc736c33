import { bearerLocation } from '../../model/policies/credential-location.ts'
import type { JwksSource, JwtAuth, JwtProvider } from './schema.ts'
import { defaults } from '../../config/defaults.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import { type Context, fileText } from '../../config/normalize/context.ts'
import { credentialLocation } from '../../config/normalize/credential-location.ts'
import { definedFields, given } from '../../config/normalize/optional-fields.ts'

/** `jwtAuth`, of one issuer or several. */
export function normalizeJwtAuth(policy: File.JwtAuth, context: Context): JwtAuth {
  const providers = 'providers' in policy ? policy.providers : [policy]
  return {
    mode: policy.mode ?? 'optional',
    location: given(policy.location, credentialLocation) ?? bearerLocation,
    providers: providers.map((provider) => jwtProvider(provider, context)),
  }
}

/** A trusted issuer. */
export function jwtProvider(
  { issuer, audiences, jwks, jwtValidationOptions }: File.JwtProvider,
  context: Context,
): JwtProvider {
  return definedFields<JwtProvider>({
    issuer,
    audiences,
    requiredClaims: jwtValidationOptions?.requiredClaims ?? defaults.requiredClaims,
    jwks: jwksSource(jwks, context),
  })
}

/** The source of keys; a file is read here. */
export function jwksSource(jwks: File.Jwks, context: Context): JwksSource {
  if (typeof jwks === 'string') return { kind: 'inline', text: jwks }
  const { file, url, keys, readiness } = jwks
  if (file !== undefined) return { kind: 'inline', text: fileText(context, file), file }
  if (url !== undefined) return { kind: 'url', url, required: readiness !== 'failOpen' }
  return { kind: 'inline', text: JSON.stringify({ keys }) }
}
