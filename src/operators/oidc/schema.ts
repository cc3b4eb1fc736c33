import { formatted, listOf, type Properties, record, ref, text, words } from '../../config/schema/builders.ts'
import type { SecretText } from '../../model/policies/secret-text.ts'
import type { JwksSource } from '../jwt-auth/schema.ts'

/** OpenID Connect login with the authorization code flow. */
export interface Oidc {
  /** 16 hexadecimal digits, the same for the same provider, client and redirect: part of the names of cookies. */
  readonly id: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: SecretText
  /** The redirect URI: an absolute URL, normalized. */
  readonly redirectUri: string
  /** Its path, normalized as those of requests. */
  readonly callbackPath: string
  /** Without `openid`, which is always requested. */
  readonly scopes: readonly string[]
  readonly endpoints: OidcEndpoints
  readonly tokenEndpointAuth: 'clientSecretBasic' | 'clientSecretPost'
}

/** The endpoints of the provider: discovered, or configured. */
export type OidcEndpoints =
  | { readonly kind: 'discovered'; readonly url: string }
  | {
      readonly kind: 'given'
      readonly authorizationEndpoint: string
      readonly tokenEndpoint: string
      readonly jwks: JwksSource
    }

const oidc = record(
  'OpenID Connect login: redirects unauthenticated browsers to the identity provider; expressions read the claims of authenticated users as `jwt.…`. State is kept in encrypted cookies, see `config.session.key`.',
  {
    issuer: formatted(
      'httpUrl',
      'Issuer identifier of the provider; must equal the value in its metadata and tokens exactly.',
    ),
    clientId: text('Client ID.', { minLength: 1 }),
    clientSecret: ref('SecretText', 'Client secret.'),
    redirectURI: formatted(
      'httpUrl',
      'Redirect URI of the gateway, as registered with the provider. Its path must belong to a route with this policy, unless the policy is set on the gateway.',
    ),
    scopes: listOf(
      text('Scope.', { pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' }),
      'Requested scopes, in addition to `openid`.',
    ),
    discovery: formatted(
      'httpUrl',
      'URL of the provider metadata. Default: `/.well-known/openid-configuration` under the issuer.',
    ),
    authorizationEndpoint: formatted(
      'httpUrl',
      'Authorization endpoint. Together with `tokenEndpoint` and `jwks` it replaces discovery.',
    ),
    tokenEndpoint: formatted('httpUrl', 'Token endpoint.'),
    tokenEndpointAuth: words(
      'Client authentication at the token endpoint: HTTP Basic, or in the body.',
      ['clientSecretBasic', 'clientSecretPost'],
      'clientSecretBasic',
    ),
    jwks: ref('Jwks'),
  },
  { required: ['issuer', 'clientId', 'clientSecret', 'redirectURI'] },
)

/** Definitions of OpenID Connect. */
export const oidcDefinitions: Properties = { Oidc: oidc }
