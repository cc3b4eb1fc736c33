import { bearerLocation } from '../../../model/policies/credential-location.ts'
import type { McpAuthentication } from '../schema.ts'
import { issuerEndpoints } from '../../../protocols/oauth/provider-quirks.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import type { Context } from '../../../config/normalize/context.ts'
import { credentialLocation } from '../../../config/normalize/credential-location.ts'
import { definedFields, given } from '../../../config/normalize/optional-fields.ts'
import { jwtProvider } from '../../jwt-auth/normalize.ts'
import { secretText } from '../../../config/normalize/secret-text.ts'

/** `mcpAuthentication`, with the key set of the provider as default. */
export function mcpAuthentication(policy: File.McpAuthentication, context: Context): McpAuthentication {
  const provider = providerOf(policy)
  const { issuer, audiences, jwks, jwtValidationOptions } = policy
  return definedFields<McpAuthentication>({
    mode: policy.mode ?? 'strict',
    location: given(policy.authorizationLocation, credentialLocation) ?? bearerLocation,
    issuer: jwtProvider(
      {
        issuer,
        audiences,
        jwks: jwks ?? { url: issuerEndpoints(issuer, provider).jwks },
        ...(jwtValidationOptions && { jwtValidationOptions }),
      },
      context,
    ),
    provider,
    resourceMetadata: snakeCased(policy.resourceMetadata),
    clientId: policy.clientId,
    clientSecret: given(policy.clientSecret, (secret) => secretText(secret, context)),
  })
}

/** The provider of a policy. */
export function providerOf({ provider }: File.McpAuthentication): McpAuthentication['provider'] {
  return provider && (Object.keys(provider)[0] as McpAuthentication['provider']) // the schema allows only one
}

function snakeCased(metadata: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value as unknown,
    ]),
  )
}
