import type { Oidc } from '../../operators/oidc/schema.ts'
import type { DependencyReport } from '../dependency-status.ts'
import type { Closable } from '../draining.ts'
import type { IdTokenClaims, LoginSecrets, OidcClient } from './oidc-client.ts'
import { LoginFailure } from './login-failure.ts'
import { ProviderClient, type ProviderFetch } from './provider-fetch.ts'
import { asymmetricAlgorithms, type ProviderMetadata, readProviderMetadata } from './provider-metadata.ts'

/** Options of an identity provider. */
export interface IdentityProviderOptions {
  /** Receives the outcome of each request. */
  readonly report?: DependencyReport
  readonly timeoutMs?: number
  /** Called with the duration of each call to the provider, to its response or failure. */
  readonly called?: (seconds: number) => void
  /** How long metadata are used before they are refreshed in the background. */
  readonly refreshMs?: number
  /** How long a failure is cached: an unavailable provider gets one request per this time, however many logins wait. */
  readonly failureMs?: number
}

const REFRESH_MS = 3_600_000
const FAILURE_MS = 1_000

/**
 * An OpenID provider. Its metadata are fetched at creation, and whenever a login needs them and they are missing; once
 * fetched they stay in use while the provider is unavailable.
 */
export class IdentityProvider implements Closable {
  readonly #policy: Oidc
  readonly #options: IdentityProviderOptions
  readonly #connections: ProviderClient
  #client: OidcClient | undefined = undefined
  #fetching: Promise<OidcClient> | undefined = undefined
  #failure: LoginFailure | undefined = undefined
  /** `performance.now()` of the last response or failure. */
  #fetchedAt = 0
  /** The metadata that the client was created from, as they were received. */
  #text: string | undefined = undefined

  constructor(policy: Oidc, options: IdentityProviderOptions = {}) {
    this.#policy = policy
    this.#options = options
    this.#connections = new ProviderClient(options.timeoutMs, options.called)
    this.#fetch().catch(() => undefined) // Reported, and fetched again when needed.
  }

  /**
   * The URL to redirect a browser to for login. A promise only while the metadata are unknown; rejects with a
   * `LoginFailure` if they cannot be fetched.
   *
   * @param challenge The hash of the verifier.
   */
  loginUrl(secrets: LoginSecrets, challenge: string): string | Promise<string> {
    const client = this.#known()
    return client
      ? client.loginUrl(secrets, challenge)
      : this.#fetchedClient().then((found) => found.loginUrl(secrets, challenge))
  }

  /**
   * Exchanges the code of a redirect for an ID token, and verifies it: signature, issuer, audience, times and nonce.
   * Rejects with a `LoginFailure`.
   *
   * @param query Of the redirect URL.
   */
  async redeem(query: string, secrets: LoginSecrets): Promise<IdTokenClaims> {
    const client = this.#known() ?? (await this.#fetchedClient())
    return client.redeem(query, secrets)
  }

  async close(): Promise<void> {
    await this.#fetching?.catch(() => undefined)
    await this.destroy()
  }

  async destroy(): Promise<void> {
    this.#options.report?.end()
    await this.#connections.destroy()
  }

  #known(): OidcClient | undefined {
    const { refreshMs = REFRESH_MS } = this.#options
    const isOld = this.#policy.endpoints.kind === 'discovered' && this.#age() > refreshMs
    if (this.#client && isOld) this.#fetch().catch(() => undefined)
    return this.#client
  }

  #fetchedClient(): Promise<OidcClient> {
    const { failureMs = FAILURE_MS } = this.#options
    return this.#failure && this.#age() < failureMs ? Promise.reject(this.#failure) : this.#fetch()
  }

  #age(): number {
    return performance.now() - this.#fetchedAt
  }

  #fetch(): Promise<OidcClient> {
    this.#fetching ??= this.#find().finally(() => {
      this.#fetching = undefined
      this.#fetchedAt = performance.now()
    })
    return this.#fetching
  }

  async #find(): Promise<OidcClient> {
    const { report } = this.#options
    try {
      const text = await this.#metadata()
      // Unchanged metadata keep the client, and with it its cached keys.
      if (!this.#client || text !== this.#text) this.#client = await this.#make(text)
      this.#text = text
      this.#failure = undefined
      report?.ready()
      return this.#client
    } catch (error) {
      this.#failure = new LoginFailure('provider', 'the identity provider cannot be asked', error)
      report?.failed(error instanceof Error && error.message ? error.message : String(error))
      throw this.#failure
    }
  }

  /** The metadata as text; undefined if the configuration contains them all. */
  async #metadata(): Promise<string | undefined> {
    const { endpoints } = this.#policy
    if (endpoints.kind === 'given') return undefined
    const response = await this.#connections.fetch(endpoints.url, {
      method: 'GET',
      headers: { accept: 'application/json' },
    })
    if (response.status !== 200) throw new Error(`it answered with status ${response.status}`)
    return response.text()
  }

  async #make(text: string | undefined): Promise<OidcClient> {
    // Loading the library takes 50 ms, spent only by gateways with a provider.
    const { OidcClient } = await import('./oidc-client.ts')
    const metadata =
      text === undefined ? given(this.#policy) : readProviderMetadata(text, this.#policy.issuer)
    return new OidcClient(this.#policy, metadata, this.#providerFetch)
  }

  readonly #providerFetch: ProviderFetch = (url, request) => {
    const { endpoints } = this.#policy
    if (url !== INLINE_KEYS || endpoints.kind !== 'given' || endpoints.jwks.kind !== 'inline')
      return this.#connections.fetch(url, request)
    const headers = { 'content-type': 'application/json' }
    return Promise.resolve(new Response(endpoints.jwks.text, { headers }))
  }
}

/**
 * Placeholder for keys of the configuration, since the library requires a URL; the domain cannot exist (RFC 6761 §6.4).
 */
const INLINE_KEYS = 'https://keys.invalid/'

const given = ({ issuer, endpoints }: Oidc): ProviderMetadata => {
  if (endpoints.kind === 'discovered') throw new TypeError('where the provider is has to be found out')
  const { authorizationEndpoint, tokenEndpoint, jwks } = endpoints
  return {
    issuer,
    authorization_endpoint: authorizationEndpoint,
    token_endpoint: tokenEndpoint,
    jwks_uri: jwks.kind === 'url' ? jwks.url : INLINE_KEYS,
    id_token_signing_alg_values_supported: [...asymmetricAlgorithms],
  }
}
