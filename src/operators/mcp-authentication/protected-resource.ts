import type { Exchange } from '../../../model/exchange.ts'
import type { McpAuthentication } from '../../../model/mcp-authentication.ts'
import { PROTECTED_RESOURCE, wellKnownUrl, withoutSlash } from '../../../protocols/oauth/identity-provider.ts'
import type { Relayed, RelayedAnswer } from '../../../upstream/form-relay.ts'
import type { Metadata } from '../../../upstream/issuer-metadata.ts'
import { type AddressOptions, originOf, prefixOf } from './address.ts'

/** An MCP server that wants tokens, as far as clients may know. */
export interface ProtectedResource extends AddressOptions {
  readonly issuer: string
  readonly audience: string
  readonly provider: McpAuthentication['provider']
  /** In the names of RFC 9728. */
  readonly metadata: Metadata
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
  /** Where clients register, if the metadata of the issuer need not be asked. */
  readonly registration: string | undefined
  /** What the issuer says about itself. Rejects with a fault if it says nothing. */
  readonly issuerMetadata: () => Promise<Metadata>
  /** Posts something to the issuer. Rejects with a fault if it does not answer. */
  readonly post: (form: Relayed) => Promise<RelayedAnswer>
}

/**
 * What the resource is called: as configured, else by the address under which the client called it.
 *
 * @param path Of the resource, as it came here.
 */
export const resourceName = (resource: ProtectedResource, x: Exchange, path: string): string => {
  const { resource: name } = resource.metadata
  if (typeof name === 'string') return name
  return `${originOf(x, resource)}${prefixOf(x, resource)}${withoutSlash(path)}`
}

/** Where the metadata of the resource is (RFC 9728 §3). */
export const metadataAddress = (resource: ProtectedResource, x: Exchange, path: string): string =>
  wellKnownUrl(resourceName(resource, x, path), PROTECTED_RESOURCE)

/** Who issues tokens for it. Where the gateway stands in for the issuer, it is called after the resource. */
export const authorizationServer = (resource: ProtectedResource, x: Exchange, path: string): string =>
  resource.provider === undefined ? resource.issuer : withoutSlash(resourceName(resource, x, path))

/** The metadata of the resource (RFC 9728 §2). */
export const resourceDocument = (resource: ProtectedResource, x: Exchange, path: string): Metadata => ({
  resource: resourceName(resource, x, path),
  authorization_servers: [authorizationServer(resource, x, path)],
  mcp_protocol_version: '2025-06-18',
  resource_type: 'mcp-server',
  ...resource.metadata,
})

/** Scopes that tokens may have, one after the other. */
export const scopesOf = ({ metadata: { scopes_supported: scopes } }: ProtectedResource): string =>
  Array.isArray(scopes) ? scopes.join(' ') : ''
