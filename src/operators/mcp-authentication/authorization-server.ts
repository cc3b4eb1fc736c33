import type { Exchange } from '../../model/exchange/exchange.ts'
import { AUTHORIZATION_SERVER, wellKnownUrl } from '../../protocols/oauth/provider-quirks.ts'
import type { IssuerDocument } from '../../upstream/jwks/issuer-metadata.ts'
import { authorizationServer, type ProtectedResource, resourceName } from './protected-resource.ts'

/** Endpoints that the gateway offers in place of an authorization server: suffixes of the address of its metadata. */
export const endpoints = {
  registration: '/client-registration',
  authorize: '/authorize',
  token: '/token',
} as const

/**
 * The metadata of the authorization server (RFC 8414) for clients of the resource: the issuer's document, with the
 * addresses replaced that must lead through the gateway.
 */
export const serverDocument = (
  resource: ProtectedResource,
  issuer: IssuerDocument,
  x: Exchange,
  path: string,
): IssuerDocument => {
  const address = wellKnownUrl(resourceName(resource, x, path), AUTHORIZATION_SERVER)
  const { provider, audience } = resource
  const document: Record<string, unknown> = { ...issuer }
  if (provider !== undefined) document.issuer = authorizationServer(resource, x, path)
  if (audience !== undefined && (provider === 'auth0' || provider === 'okta'))
    document.authorization_endpoint = withAudience(issuer.authorization_endpoint, audience)
  if (registersHere(resource)) document.registration_endpoint = address + endpoints.registration
  if (provider === 'entra') {
    document.authorization_endpoint = address + endpoints.authorize
    document.token_endpoint = address + endpoints.token
    // The provider supports both but does not list them; MCP clients require the lists.
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
