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

const nothing = (description: string) => record(description, {})

const providers: Properties = {
  auth0: nothing('Auth0: asks for the audience where clients ask for tokens.'),
  keycloak: nothing('Keycloak: clients register through the gateway.'),
  okta: nothing('Okta: asks for the audience, and clients register through the gateway.'),
  descope: nothing('Descope: clients register through the gateway.'),
  authentik: nothing('Authentik: clients register as `clientId`.'),
  entra: nothing('Microsoft Entra: clients ask for tokens through the gateway, and register as `clientId`.'),
}

const mcpAuthentication = record(
  'Bearer tokens as the MCP specification has them: requests need one, and clients are told where to get it.',
  {
    issuer: formatted('httpUrl', 'Who makes the tokens: what `iss` says in them, to the letter.'),
    audiences: listOf(
      text('An audience.', { minLength: 1 }),
      'Whom tokens may be made for: one of these must be in `aud`.',
      { minItems: 1 },
    ),
    jwks: ref('Jwks', 'The public keys of the issuer. Default: where the provider has them.'),
    jwtValidationOptions: ref('JwtValidationOptions'),
    mode: tokenMode('strict'),
    authorizationLocation: ref(
      'CredentialLocation',
      'Where the token is. Default: `Authorization`, after `Bearer `.',
    ),
    provider: record('What is special about the issuer.', providers, exactlyOne(...Object.keys(providers))),
    resourceMetadata: ref('McpResourceMetadata'),
    clientId: text('The client that all who register become, for providers that do not register clients.', {
      minLength: 1,
    }),
    clientSecret: ref('SecretText', 'The secret of that client, for providers that want one.'),
  },
  { required: ['issuer', 'audiences', 'resourceMetadata'] },
)

const resourceMetadata = {
  ...record(
    'What clients are told about the resource (RFC 9728). Any other field may be given as well, written in camelCase or as it is in the document.',
    {
      resource: formatted(
        'httpUrl',
        'What the resource is called: its address as clients know it. Default: the address of the request.',
      ),
      scopesSupported: listOf(
        text('A scope.', { pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' }),
        'Scopes that tokens may have.',
      ),
      bearerMethodsSupported: listOf(words('A way.', ['header', 'body', 'query']), 'How tokens may be sent.'),
    },
  ),
  additionalProperties: true,
}

/** Definitions about tokens for MCP. */
export const mcpAuthenticationDefinitions: Properties = {
  McpAuthentication: mcpAuthentication,
  McpResourceMetadata: resourceMetadata,
}
