import type { CredentialLocation, CredentialField } from '../../../model/policies/credential-location.ts'
import type { Cel } from '../../../model/resources/policies.ts'
import type { PolicyBackend } from '../../../model/policies/policy-backend.ts'
import type { SecretText } from '../../../model/policies/secret-text.ts'

/** How the gateway authenticates to an upstream, for itself or on behalf of the caller. */
export type BackendAuth = BackendAuthWay & { readonly credentials: readonly ExtraCredential[] }

/** One authentication method, or none. */
export type BackendAuthWay =
  | { readonly passthrough: { readonly location: CredentialField } }
  | { readonly key: { readonly value: SecretText; readonly location: CredentialField } }
  | { readonly jwtSign: JwtSign }
  | { readonly oauthTokenExchange: OauthTokenExchange }
  | { readonly crossAppAccess: CrossAppAccess }
  | { readonly clientCredentials: ClientCredentials }
  | { readonly gcp: GcpAuth }
  | { readonly aws: AwsAuth }
  | { readonly azure: AzureAuth }
  | { readonly copilot: object }
  /** Why every request fails. */
  | { readonly invalid: string }
  | { readonly none?: undefined }

/** An additional credential. */
export interface ExtraCredential {
  readonly location: CredentialField
  readonly key: SecretText
}

/** Signature algorithms. */
export type SigningAlgorithm = 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'ES256' | 'ES384'

/** A private key in PEM and its algorithm. */
export interface SigningKey {
  readonly signingKey: SecretText
  readonly alg: SigningAlgorithm
  readonly kid?: string
}

/** Tokens that the gateway signs. */
export interface JwtSign extends SigningKey {
  readonly claims: Readonly<Record<string, unknown>>
  readonly ttlMs: number
  readonly location: CredentialField
}

/** A token of the client that is exchanged for another one. */
export interface TokenSource {
  readonly source: CredentialLocation
  /** A URI (RFC 8693 §3). */
  readonly tokenType: string
}

/** How the gateway authenticates to a token endpoint (RFC 6749 §2.3, RFC 7523 §2.2). */
export type ClientAuth = { readonly clientId: string } & (
  | { readonly method: 'clientSecretBasic'; readonly clientSecret: SecretText }
  | { readonly method: 'clientSecretPost'; readonly clientSecret?: SecretText }
  | ({
      readonly method: 'privateKeyJwt'
      readonly assertionAudience: string
      readonly certificate?: { readonly chain: SecretText; readonly header: 'x5c' | 'x5t#S256' }
    } & SigningKey)
)

/** A token endpoint. */
export interface TokenEndpoint extends PolicyBackend {
  readonly path: string
}

/** Size of the token cache; 0 disables it. */
export interface TokenCacheOptions {
  readonly maxEntries: number
  /** Lifetime of tokens whose response has none. */
  readonly defaultTtlMs: number
}

/** Exchanges the client's token for one that the upstream accepts (RFC 8693, or RFC 7523 §2.1). */
export interface OauthTokenExchange extends TokenEndpoint {
  readonly grantType: 'tokenExchange' | 'jwtBearer'
  readonly subjectToken: TokenSource
  readonly actorToken?: TokenSource & { readonly enforceMayAct: boolean }
  readonly audiences: readonly string[]
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly requestedTokenType?: string
  readonly clientAuth?: ClientAuth
  readonly additionalParams: readonly (readonly [name: string, value: Cel])[]
  readonly authorizationLocation: CredentialField
  readonly cache: TokenCacheOptions
}

/** Exchanges the client's token for an assertion, and that for a token of another authorization server. */
export interface CrossAppAccess {
  readonly identityProvider: TokenEndpoint & { readonly clientAuth: ClientAuth }
  readonly resourceAuthorizationServer: TokenEndpoint & { readonly clientAuth: ClientAuth }
  readonly audience: string
  readonly resources: readonly string[]
  readonly scopes: readonly string[]
  readonly accessTokenScopes: readonly string[]
  readonly subjectToken: TokenSource
  readonly cache: TokenCacheOptions
}

/** A token for the gateway itself (RFC 6749 §4.4). */
export interface ClientCredentials extends TokenEndpoint {
  readonly clientAuth: ClientAuth
  readonly audiences: readonly string[]
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  /** Encoding of the request: RFC 6749 defines forms only, some servers require JSON. */
  readonly requestFormat: 'form' | 'json'
  readonly additionalParams: readonly (readonly [name: string, value: string])[]
  readonly location: CredentialField
  readonly defaultTtlMs: number
}

/** Tokens of Google Cloud. */
export interface GcpAuth {
  readonly type: 'idToken' | 'accessToken'
  /** Audience of ID tokens. Default: `https://` and the host of the upstream. */
  readonly audience?: string
  /** Application default credentials as JSON; without it, those of the environment. */
  readonly credential?: SecretText
}

/** Signatures of AWS (Signature Version 4). */
export interface AwsAuth {
  readonly accessKeyId?: SecretText
  readonly secretAccessKey?: SecretText
  readonly sessionToken?: SecretText
  readonly region?: string
  readonly serviceName?: string
  readonly assumeRole?: AwsRole
}

/** A role that is assumed before signing. */
export interface AwsRole {
  readonly roleArn: string
  readonly sessionName?: string | { readonly expression: Cel }
  readonly tags: readonly {
    readonly key: string
    readonly value: string | { readonly expression: Cel }
  }[]
}

/** Tokens of Microsoft Entra ID. */
export type AzureAuth =
  | {
      readonly clientSecret: {
        readonly tenantId: string
        readonly clientId: string
        readonly clientSecret: SecretText
      }
    }
  | { readonly managedIdentity: { readonly userAssigned?: AzureIdentity } }
  | { readonly workloadIdentity: object }
  | { readonly developerImplicit: object }
  | { readonly implicit: object }

/** A user-assigned identity. */
export type AzureIdentity =
  { readonly clientId: string } | { readonly objectId: string } | { readonly resourceId: string }
