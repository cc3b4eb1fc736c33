import type { JwksSource } from './jwt.ts'
import type { SecretText } from './secret-text.ts'

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
