import { bearerPlace } from '../../model/credential-location.ts'
import type { McpAuthentication } from '../../model/mcp-authentication.ts'
import { issuerPlaces } from '../../protocols/oauth/identity-provider.ts'
import type * as File from '../file-types.gen.ts'
import type { Context } from './context.ts'
import { credentialLocation } from './credential-location.ts'
import { defined, given } from './defined.ts'
import { jwtProvider } from './jwt-auth.ts'
import { secretText } from './secret-text.ts'

/** `mcpAuthentication`, with the keys where the provider has them if nothing else is said. */
export function mcpAuthentication(policy: File.McpAuthentication, context: Context): McpAuthentication {
  const provider = providerOf(policy)
  const { issuer, audiences, jwks, jwtValidationOptions } = policy
  return defined<McpAuthentication>({
    mode: policy.mode ?? 'strict',
    location: given(policy.authorizationLocation, credentialLocation) ?? bearerPlace,
    issuer: jwtProvider(
      {
        issuer,
        audiences,
        jwks: jwks ?? { url: issuerPlaces(issuer, provider).jwks },
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
  return provider && (Object.keys(provider)[0] as McpAuthentication['provider']) // one of them, as the schema says
}

function snakeCased(metadata: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value as unknown,
    ]),
  )
}
