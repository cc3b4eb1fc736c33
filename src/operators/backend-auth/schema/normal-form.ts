import type { CredentialLocation, CredentialPlace } from '../../../model/policies/credential-location.ts'
import type { Cel } from '../../../model/resources/policies.ts'
import type { PolicyBackend } from '../../../model/policies/policy-backend.ts'
import type { SecretText } from '../../../model/policies/secret-text.ts'

/** How the gateway shows an upstream who it is, or on whose behalf it asks. */
export type BackendAuth = BackendAuthWay & { readonly credentials: readonly ExtraCredential[] }

/** One way to do it, or none. */
export type BackendAuthWay =
  | { readonly passthrough: { readonly location: CredentialPlace } }
  | { readonly key: { readonly value: SecretText; readonly location: CredentialPlace } }
  | { readonly jwtSign: JwtSign }
  | { readonly oauthTokenExchange: OauthTokenExchange }
  | { readonly crossAppAccess: CrossAppAccess }
  | { readonly clientCredentials: ClientCredentials }
  | { readonly gcp: GcpAuth }
  | { readonly aws: AwsAuth }
  | { readonly azure: AzureAuth }
  | { readonly copilot: object }
  | { readonly none?: undefined }

/** A credential beside the main one. */
export interface ExtraCredential {
  readonly location: CredentialPlace
  readonly key: SecretText
}

/** How tokens are signed. */
export type SigningAlgorithm = 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'ES256' | 'ES384'

/** A private key in PEM, and how it signs. */
export interface SigningKey {
  readonly signingKey: SecretText
  readonly alg: SigningAlgorithm
  readonly kid?: string
}

/** Tokens that the gateway signs itself. */
export interface JwtSign extends SigningKey {
  readonly claims: Readonly<Record<string, unknown>>
  readonly ttlMs: number
  readonly location: CredentialPlace
}

/** A token of the client's that is traded for another one. */
export interface TokenSource {
  readonly source: CredentialLocation
  /** A URI (RFC 8693 §3). */
  readonly tokenType: string
}

/** How the gateway proves who it is at a token endpoint (RFC 6749 §2.3, RFC 7523 §2.2). */
export type ClientAuth = { readonly clientId: string } & (
  | { readonly method: 'clientSecretBasic'; readonly clientSecret: SecretText }
  | { readonly method: 'clientSecretPost'; readonly clientSecret?: SecretText }
  | ({
      readonly method: 'privateKeyJwt'
      readonly assertionAudience: string
      readonly certificate?: { readonly chain: SecretText; readonly header: 'x5c' | 'x5t#S256' }
    } & SigningKey)
)

/** Where tokens are had. */
export interface TokenEndpoint extends PolicyBackend {
  readonly path: string
}

/** How many tokens are remembered; none with 0. */
export interface TokenCacheOptions {
  readonly maxEntries: number
  /** How long a token is taken to be valid that does not say so. */
  readonly defaultTtlMs: number
}

/** Trades the client's token for one that the upstream takes (RFC 8693, or RFC 7523 §2.1). */
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
  readonly authorizationLocation: CredentialPlace
  readonly cache: TokenCacheOptions
}

/** Trades the client's token for an assertion, and that for a token of another authorization server. */
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
  /** How the request is written: RFC 6749 knows forms only, some servers want JSON. */
  readonly requestFormat: 'form' | 'json'
  readonly additionalParams: readonly (readonly [name: string, value: string])[]
  readonly location: CredentialPlace
  readonly defaultTtlMs: number
}

/** Tokens of Google Cloud. */
export interface GcpAuth {
  readonly type: 'idToken' | 'accessToken'
  /** Of ID tokens. Default: `https://` and the host of the upstream. */
  readonly audience?: string
  /** Application default credentials as JSON; those of the surroundings without it. */
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

/** One of the identities of a machine. */
export type AzureIdentity =
  { readonly clientId: string } | { readonly objectId: string } | { readonly resourceId: string }
