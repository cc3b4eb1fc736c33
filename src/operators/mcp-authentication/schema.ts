import {
  exactlyOne,
  formatted,
  listOf,
  type Properties,
  record,
  ref,
  text,
  words,
} from '../../config/schema/builders.ts'
import type { CredentialLocation } from '../../model/policies/credential-location.ts'
import type { SecretText } from '../../model/policies/secret-text.ts'
import { type JwtMode, type JwtProvider, tokenMode } from '../jwt-auth/schema.ts'

/** MCP authorization: bearer tokens, and the metadata with which clients get them. */
export interface McpAuthentication {
  readonly mode: JwtMode
  readonly location: CredentialLocation
  /** The trusted issuer, without audiences only if nothing names the resource. */
  readonly issuer: JwtProvider
  /** Provider-specific behaviour. */
  readonly provider?: 'auth0' | 'keycloak' | 'okta' | 'descope' | 'authentik' | 'entra'
  /** Protected resource metadata, in the names of RFC 9728. */
  readonly resourceMetadata: Readonly<Record<string, unknown>>
  /** Client ID returned to every client that registers. */
  readonly clientId?: string
  /** Added to token requests of that client. */
  readonly clientSecret?: SecretText
}

const nothing = (description: string) => record(description, {})

const providers: Properties = {
  auth0: nothing('Auth0: adds the audience to the authorization requests of clients.'),
  keycloak: nothing('Keycloak: proxies client registration.'),
  okta: nothing(
    'Okta: adds the audience to the authorization requests of clients and proxies client registration.',
  ),
  descope: nothing('Descope: proxies client registration.'),
  authentik: nothing('Authentik: registers every client as `clientId`.'),
  entra: nothing(
    'Microsoft Entra: proxies authorization and token requests and registers every client as `clientId`.',
  ),
}

const mcpAuthentication = record(
  'MCP authorization: requires bearer tokens and publishes the protected resource metadata that tells clients where to get them.',
  {
    issuer: formatted('httpUrl', 'Issuer of the tokens; must equal the `iss` claim exactly.'),
    audiences: listOf(
      text('Audience.', { minLength: 1 }),
      'Accepted audiences; `aud` must contain one of them. Default: `resourceMetadata.resource`; without that, any audience.',
      { minItems: 1 },
    ),
    jwks: ref('Jwks', 'Public keys of the issuer. Default: the key set of the provider.'),
    jwtValidationOptions: ref('JwtValidationOptions'),
    mode: tokenMode('strict'),
    authorizationLocation: ref(
      'CredentialLocation',
      'Where requests carry the token. Default: `Authorization` with the prefix `Bearer `.',
    ),
    provider: record(
      'Provider-specific behaviour of the issuer; set one field.',
      providers,
      exactlyOne(...Object.keys(providers)),
    ),
    resourceMetadata: ref('McpResourceMetadata'),
    clientId: text(
      'Client ID returned to every client that registers, for providers without client registration.',
      {
        minLength: 1,
      },
    ),
    clientSecret: ref('SecretText', 'Client secret of `clientId`, for providers that require one.'),
  },
  { required: ['issuer', 'resourceMetadata'] },
)

const resourceMetadata = {
  ...record(
    'Protected resource metadata (RFC 9728). Any other field is allowed too, in camelCase or in the spelling of the document.',
    {
      resource: formatted(
        'httpUrl',
        'Resource identifier: the URL that clients use. Default: the URL of the request.',
      ),
      scopesSupported: listOf(
        text('Scope.', { pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' }),
        'Supported scopes.',
      ),
      bearerMethodsSupported: listOf(
        words('Method.', ['header', 'body', 'query']),
        'Supported methods of sending tokens.',
      ),
    },
  ),
  additionalProperties: true,
}

/** Definitions of MCP authorization. */
export const mcpAuthenticationDefinitions: Properties = {
  McpAuthentication: mcpAuthentication,
  McpResourceMetadata: resourceMetadata,
}
