import type { BackendAuth, BackendAuthWay, JwtSign } from '../schema/normal-form.ts'
import { bearerLocation, type CredentialField } from '../../../model/policies/credential-location.ts'
import type { SecretText } from '../../../model/policies/secret-text.ts'
import { defaults } from '../../../config/defaults.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { awsAuth, azureAuth, gcpAuth } from './cloud-auth.ts'
import { type Context, milliseconds } from '../../../config/normalize/context.ts'
import { normalizeCredentialLocation } from '../../../config/normalize/credential-location.ts'
import { clientCredentials, crossAppAccess, oauthTokenExchange } from './oauth.ts'
import { signingKey } from './signing-key.ts'
import { secretText } from '../../../config/normalize/secret-text.ts'

/** Normalizes authentication to a backend from any of its notations. */
export function backendAuth(source: File.BackendAuth, context: Context): BackendAuth {
  if (typeof source === 'string') return { copilot: {}, credentials: [] }
  const credentials = (source.credentials ?? []).map(({ location, key }) => ({
    location: normalizeCredentialLocation(location),
    key: secretText(key, context),
  }))
  return { ...way(source, context), credentials }
}

function way(source: File.BackendAuthFields, context: Context): BackendAuthWay {
  if (source.passthrough !== undefined)
    return { passthrough: { location: credentialLocation(source.passthrough.location) } }
  if (source.key !== undefined) return { key: key(source.key, context) }
  if (source.jwtSign !== undefined) return { jwtSign: jwtSign(source.jwtSign, context) }
  if (source.oauthTokenExchange !== undefined)
    return { oauthTokenExchange: oauthTokenExchange(source.oauthTokenExchange, context) }
  if (source.crossAppAccess !== undefined)
    return { crossAppAccess: crossAppAccess(source.crossAppAccess, context) }
  if (source.clientCredentials !== undefined)
    return { clientCredentials: clientCredentials(source.clientCredentials, context) }
  if (source.gcp !== undefined) return { gcp: gcpAuth(source.gcp, context) }
  if (source.aws !== undefined) return { aws: awsAuth(source.aws, context) }
  if (source.azure !== undefined) return { azure: azureAuth(source.azure) }
  if (source.invalid !== undefined) return { invalid: source.invalid }
  return {}
}

function jwtSign(source: File.BackendJwtSign, context: Context): JwtSign {
  return {
    ...signingKey(source, context),
    claims: source.claims ?? {},
    ttlMs: milliseconds(source.ttl ?? defaults.backendAuth.signedTtl),
    location: credentialLocation(source.location),
  }
}

function key(source: File.BackendKey, context: Context): { value: SecretText; location: CredentialField } {
  if (typeof source === 'string') return { value: { secret: source }, location: bearerLocation }
  const { value, file, location } = source
  return { value: secretText(value ?? { file: file ?? '' }, context), location: credentialLocation(location) }
}

function credentialLocation(source: File.CredentialField | undefined): CredentialField {
  return source === undefined ? bearerLocation : normalizeCredentialLocation(source)
}
