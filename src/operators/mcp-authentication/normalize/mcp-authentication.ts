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
  const { issuer, jwks, jwtValidationOptions } = policy
  const audiences = audiencesOf(policy)
  return definedFields<McpAuthentication>({
    mode: policy.mode ?? 'strict',
    location: given(policy.authorizationLocation, credentialLocation) ?? bearerLocation,
    issuer: jwtProvider(
      {
        issuer,
        ...(audiences && { audiences }),
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

/**
 * The accepted audiences. By default the resource, for which clients request their tokens (RFC 8707): a token that was
 * issued for another server must not be usable here. Clients write it as a URL, with the slash that an origin has. The
 * address of a request is no default, since clients choose it.
 */
function audiencesOf({ audiences, resourceMetadata: { resource } }: File.McpAuthentication) {
  if (audiences !== undefined || resource === undefined) return audiences
  return [...new Set([resource, new URL(resource).href])]
}

function snakeCased(metadata: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value as unknown,
    ]),
  )
}
