import type { CredentialLocation } from './credential-location.ts'
import type { JwtMode, JwtProvider } from './jwt.ts'
import type { SecretText } from './secret-text.ts'

/** Bearer tokens as the MCP specification has them: tokens, and the way for clients to get some. */
export interface McpAuthentication {
  readonly mode: JwtMode
  readonly location: CredentialLocation
  /** Whose tokens are believed; it has audiences. */
  readonly issuer: JwtProvider
  /** What is special about whoever issues the tokens. */
  readonly provider?: 'auth0' | 'keycloak' | 'okta' | 'descope' | 'authentik' | 'entra'
  /** What clients may read about the resource, in the names of RFC 9728. */
  readonly resourceMetadata: Readonly<Record<string, unknown>>
  /** The client that all who register become. */
  readonly clientId?: string
  /** Put into requests for tokens of that client. */
  readonly clientSecret?: SecretText
}
