import type { Exchange } from '../../../model/exchange.ts'
import { AUTHORIZATION_SERVER, wellKnownUrl } from '../../../protocols/oauth/identity-provider.ts'
import type { Metadata } from '../../../upstream/issuer-metadata.ts'
import { authorizationServer, type ProtectedResource, resourceName } from './protected-resource.ts'

/** What the gateway itself does for clients of an authorization server; each is an address under its metadata. */
export const endpoints = {
  registration: '/client-registration',
  authorize: '/authorize',
  token: '/token',
} as const

/**
 * The metadata of the authorization server (RFC 8414) as clients of the resource should see it: what the issuer says, with
 * the addresses in it that have to lead through the gateway.
 */
export const serverDocument = (
  resource: ProtectedResource,
  issuer: Metadata,
  x: Exchange,
  path: string,
): Metadata => {
  const address = wellKnownUrl(resourceName(resource, x, path), AUTHORIZATION_SERVER)
  const { provider, audience } = resource
  const document: Record<string, unknown> = { ...issuer }
  if (provider !== undefined) document.issuer = authorizationServer(resource, x, path)
  if (provider === 'auth0' || provider === 'okta')
    document.authorization_endpoint = withAudience(issuer.authorization_endpoint, audience)
  if (registersHere(resource)) document.registration_endpoint = address + endpoints.registration
  if (provider === 'entra') {
    document.authorization_endpoint = address + endpoints.authorize
    document.token_endpoint = address + endpoints.token
    // It does both, and does not say so; clients of MCP want to read it.
    document.code_challenge_methods_supported ??= ['S256']
    document.token_endpoint_auth_methods_supported = ['none']
  }
  return document
}

/** Whether clients register through the gateway. */
export const registersHere = ({ provider, clientId }: ProtectedResource): boolean =>
  clientId !== undefined || (provider !== undefined && provider !== 'auth0')

const withAudience = (endpoint: unknown, audience: string): unknown => {
  const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null
  if (!url) return endpoint
  url.searchParams.set('audience', audience)
  return url.href
}
