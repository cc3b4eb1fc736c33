import type { Exchange } from '../../model/exchange/exchange.ts'
import type { McpAuthentication } from './schema.ts'
import { PROTECTED_RESOURCE, wellKnownUrl, withoutSlash } from '../../protocols/oauth/provider-quirks.ts'
import type { Relayed, IssuerResponse } from '../../upstream/jwks/issuer-client.ts'
import type { IssuerDocument } from '../../upstream/jwks/issuer-metadata.ts'
import { type AddressOptions, externalOrigin, prefixOf } from './external-url.ts'

/** An MCP server that requires tokens, as described to clients. */
export interface ProtectedResource extends AddressOptions {
  readonly issuer: string
  /** What tokens are requested for; undefined if any token is accepted. */
  readonly audience: string | undefined
  readonly provider: McpAuthentication['provider']
  /** In the names of RFC 9728. */
  readonly metadata: IssuerDocument
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
  /** The registration endpoint, if it need not be taken from the issuer's metadata. */
  readonly registration: string | undefined
  /** The issuer's metadata. Rejects with a Fault if it cannot be fetched. */
  readonly issuerMetadata: () => Promise<IssuerDocument>
  /** Sends a POST to the issuer. Rejects with a Fault if there is no response. */
  readonly post: (form: Relayed) => Promise<IssuerResponse>
}

/**
 * The name of the resource: as configured, else the URL that the client called.
 *
 * @param path Of the resource, as received.
 */
export const resourceName = (resource: ProtectedResource, x: Exchange, path: string): string => {
  const { resource: name } = resource.metadata
  if (typeof name === 'string') return name
  return `${externalOrigin(x, resource)}${prefixOf(x, resource)}${withoutSlash(path)}`
}

/** URL of the resource's metadata (RFC 9728 §3). */
export const metadataAddress = (resource: ProtectedResource, x: Exchange, path: string): string =>
  wellKnownUrl(resourceName(resource, x, path), PROTECTED_RESOURCE)

/** The issuer of its tokens. Where the gateway replaces the issuer, it has the name of the resource. */
export const authorizationServer = (resource: ProtectedResource, x: Exchange, path: string): string =>
  resource.provider === undefined ? resource.issuer : withoutSlash(resourceName(resource, x, path))

/** The metadata of the resource (RFC 9728 §2). */
export const resourceDocument = (resource: ProtectedResource, x: Exchange, path: string): IssuerDocument => ({
  resource: resourceName(resource, x, path),
  authorization_servers: [authorizationServer(resource, x, path)],
  mcp_protocol_version: '2025-06-18',
  resource_type: 'mcp-server',
  ...resource.metadata,
})

/** Scopes that tokens may have. */
export const scopesOf = ({ metadata: { scopes_supported: scopes } }: ProtectedResource): readonly string[] =>
  Array.isArray(scopes) ? scopes.map(String) : []
