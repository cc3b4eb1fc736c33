import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  Configuration,
  customFetch,
  type CustomFetch,
  enableNonRepudiationChecks,
} from 'openid-client'
import type { Oidc } from '../../operators/oidc/schema.ts'
import { LoginFailure, loginFailureOf } from './login-failure.ts'
import type { ProviderFetch } from './provider-fetch.ts'
import type { ProviderMetadata } from './provider-metadata.ts'

/** The values of one login that must come back unchanged. */
export interface LoginSecrets {
  readonly state: string
  readonly nonce: string
  /** RFC 7636: the provider gets its hash first, and the verifier itself with the code. */
  readonly verifier: string
}

/** Claims of an ID token that was verified. */
export type IdTokenClaims = Readonly<Record<string, unknown>> & { readonly exp: number }

/** Allowed clock skew. */
const LEEWAY_S = 60

/**
 * The gateway as a client of a provider with known metadata. In a file of its own, which is loaded only if there is a
 * provider.
 */
export class OidcClient {
  readonly #policy: Oidc
  readonly #configuration: Configuration

  constructor(policy: Oidc, metadata: ProviderMetadata, fetch: ProviderFetch) {
    const { clientId, clientSecret, tokenEndpointAuth, issuer, endpoints } = policy
    const prove = tokenEndpointAuth === 'clientSecretBasic' ? ClientSecretBasic : ClientSecretPost
    const client = { [clockTolerance]: LEEWAY_S }
    const configuration = new Configuration({ ...metadata }, clientId, client, prove(clientSecret.secret))
    // A code passes through the browser: only the signature proves that the token is the provider's.
    enableNonRepudiationChecks(configuration)
    const named = endpoints.kind === 'discovered' ? [issuer] : [metadata.token_endpoint, metadata.jwks_uri]
    // Only where the configuration itself says so.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that it is not done lightly
    if (named.some((one) => one.startsWith('http:'))) allowInsecureRequests(configuration)
    configuration[customFetch] = adapted(fetch)
    this.#policy = policy
    this.#configuration = configuration
  }

  /** The URL to redirect a browser to. */
  loginUrl({ state, nonce }: LoginSecrets, challenge: string): string {
    const { redirectUri, scopes } = this.#policy
    return buildAuthorizationUrl(this.#configuration, {
      redirect_uri: redirectUri,
      scope: ['openid', ...scopes].join(' '),
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }).href
  }

  /** The claims of the ID token that a code stands for. Rejects with a `LoginFailure`. */
  async redeem(query: string, { state, nonce, verifier }: LoginSecrets): Promise<IdTokenClaims> {
    try {
      const address = new URL(this.#policy.redirectUri)
      address.search = query
      const tokens = await authorizationCodeGrant(this.#configuration, address, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims) return claims
    } catch (error) {
      throw loginFailureOf(error)
    }
    throw new LoginFailure('id_token', 'invalid ID token', 'there is none')
  }
}

const adapted =
  (fetch: ProviderFetch): CustomFetch =>
  (url, { method, headers, body, signal }) => {
    const text = body instanceof URLSearchParams || typeof body === 'string' ? body.toString() : undefined
    return fetch(url, { method, headers, body: text, signal })
  }
