import { formatted, listOf, type Properties, record, ref, text, words } from '../../config/schema/builders.ts'
import type { SecretText } from '../../model/policies/secret-text.ts'
import type { JwksSource } from '../jwt-auth/schema.ts'

/** Signs browsers in with OpenID Connect, by the authorization code flow. */
export interface Oidc {
  /** 16 hexadecimal digits, the same for the same provider, client and redirect: part of the names of cookies. */
  readonly id: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: SecretText
  /** Where the provider sends browsers back to: an absolute address, spelled as URLs are. */
  readonly redirectUri: string
  /** Its path, spelled as those of requests are. */
  readonly callbackPath: string
  /** Without `openid`, which is always asked for. */
  readonly scopes: readonly string[]
  readonly endpoints: OidcEndpoints
  readonly tokenEndpointAuth: 'clientSecretBasic' | 'clientSecretPost'
}

/** Where the provider is: as its own metadata say, or as the configuration does. */
export type OidcEndpoints =
  | { readonly kind: 'discovered'; readonly url: string }
  | {
      readonly kind: 'given'
      readonly authorizationEndpoint: string
      readonly tokenEndpoint: string
      readonly jwks: JwksSource
    }

const oidc = record(
  'Signs browsers in with OpenID Connect: sends those who are not signed in to the identity provider, and reads the claims of the others as `jwt.…`. What has to be remembered is in sealed cookies: see `config.session.key`.',
  {
    issuer: formatted(
      'httpUrl',
      'The identity provider: what it calls itself in its metadata and tokens, to the letter.',
    ),
    clientId: text('What the gateway is called there.', { minLength: 1 }),
    clientSecret: ref('SecretText', 'What the gateway proves with that it is this client.'),
    redirectURI: formatted(
      'httpUrl',
      'Where browsers come back to: an address of this gateway, as it is registered with the provider. Its path must belong to a route that has this policy, if it is not one of the gateway.',
    ),
    scopes: listOf(
      text('A scope.', { pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' }),
      'What to ask for, beside `openid`.',
    ),
    discovery: formatted(
      'httpUrl',
      'Where the metadata of the provider are. Default: `/.well-known/openid-configuration` under the issuer.',
    ),
    authorizationEndpoint: formatted(
      'httpUrl',
      'Where users log in. With `tokenEndpoint` and `jwks` it stands in for the metadata.',
    ),
    tokenEndpoint: formatted('httpUrl', 'Where codes are traded for tokens.'),
    tokenEndpointAuth: words(
      'How the secret is sent there: as name and password, or in the body.',
      ['clientSecretBasic', 'clientSecretPost'],
      'clientSecretBasic',
    ),
    jwks: ref('Jwks'),
  },
  { required: ['issuer', 'clientId', 'clientSecret', 'redirectURI'] },
)

/** Definitions about signing in. */
export const oidcDefinitions: Properties = { Oidc: oidc }
