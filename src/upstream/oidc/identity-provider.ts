import type { Oidc } from '../../model/oidc.ts'
import type { DependencyReport } from '../dependencies.ts'
import type { Closable } from '../leaving.ts'
import type { IdTokenClaims, LoginSecrets } from './login.ts'
import { LoginFailure } from './login-failure.ts'
import type { OidcClient } from './oidc-client.ts'
import { ProviderClient, type ProviderFetch } from './provider-fetch.ts'
import { asymmetricAlgorithms, type ProviderMetadata, readProviderMetadata } from './provider-metadata.ts'

/** How a provider is asked. */
export interface IdentityProviderOptions {
  /** Where it is told how it went. */
  readonly report?: DependencyReport
  readonly timeoutMs?: number
  /** Told how long each call of the provider took, to its answer or its failure. */
  readonly called?: (seconds: number) => void
  /** How long metadata are used before they are asked for again, in the background. */
  readonly refreshMs?: number
  /** How long a failure is believed: a provider that is away is asked as often, however many want to log in. */
  readonly failureMs?: number
}

const REFRESH_MS = 3_600_000
const FAILURE_MS = 1_000

/**
 * An OpenID provider. Its metadata are asked for when this is made, and whenever somebody wants to log in and they are
 * not there; metadata that were had once go on being used while the provider is away.
 */
export class IdentityProvider implements Closable {
  readonly #policy: Oidc
  readonly #options: IdentityProviderOptions
  readonly #connections: ProviderClient
  #client: OidcClient | undefined = undefined
  #asking: Promise<OidcClient> | undefined = undefined
  #failure: LoginFailure | undefined = undefined
  /** `performance.now()` of the last answer, or of the failure to get one. */
  #askedAt = 0
  /** The metadata that the client was made of, as they came. */
  #text: string | undefined = undefined

  constructor(policy: Oidc, options: IdentityProviderOptions = {}) {
    this.#policy = policy
    this.#options = options
    this.#connections = new ProviderClient(options.timeoutMs, options.called)
    this.#ask().catch(() => undefined) // Reported, and asked again when needed.
  }

  /**
   * Where to send a browser to, for its user to log in. A promise only as long as that is not known; rejects with a
   * `LoginFailure` if it cannot be found out.
   *
   * @param challenge The hash of the verifier.
   */
  loginUrl(secrets: LoginSecrets, challenge: string): string | Promise<string> {
    const client = this.#known()
    return client
      ? client.loginUrl(secrets, challenge)
      : this.#wanted().then((found) => found.loginUrl(secrets, challenge))
  }

  /**
   * Trades the code that a browser brought back for an ID token, and verifies it: signature, issuer, audience, times and
   * nonce. Rejects with a `LoginFailure`.
   *
   * @param query Of the address the browser came back to.
   */
  async redeem(query: string, secrets: LoginSecrets): Promise<IdTokenClaims> {
    const client = this.#known() ?? (await this.#wanted())
    return client.redeem(query, secrets)
  }

  async close(): Promise<void> {
    await this.#asking?.catch(() => undefined)
    await this.destroy()
  }

  async destroy(): Promise<void> {
    this.#options.report?.end()
    await this.#connections.destroy()
  }

  #known(): OidcClient | undefined {
    const { refreshMs = REFRESH_MS } = this.#options
    const isOld = this.#policy.endpoints.kind === 'discovered' && this.#age() > refreshMs
    if (this.#client && isOld) this.#ask().catch(() => undefined)
    return this.#client
  }

  #wanted(): Promise<OidcClient> {
    const { failureMs = FAILURE_MS } = this.#options
    return this.#failure && this.#age() < failureMs ? Promise.reject(this.#failure) : this.#ask()
  }

  #age(): number {
    return performance.now() - this.#askedAt
  }

  #ask(): Promise<OidcClient> {
    this.#asking ??= this.#find().finally(() => {
      this.#asking = undefined
      this.#askedAt = performance.now()
    })
    return this.#asking
  }

  async #find(): Promise<OidcClient> {
    const { report } = this.#options
    try {
      const text = await this.#metadata()
      // The same as before: what the client has learnt meanwhile, such as keys, goes on being used.
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

  /** The metadata as text; undefined if the configuration says it all. */
  async #metadata(): Promise<string | undefined> {
    const { endpoints } = this.#policy
    if (endpoints.kind === 'given') return undefined
    const answer = await this.#connections.fetch(endpoints.url, {
      method: 'GET',
      headers: { accept: 'application/json' },
    })
    if (answer.status !== 200) throw new Error(`it answered with status ${answer.status}`)
    return answer.text()
  }

  async #make(text: string | undefined): Promise<OidcClient> {
    // Loading the library takes 50 ms, which only those pay who have a provider.
    const { OidcClient } = await import('./oidc-client.ts')
    const metadata =
      text === undefined ? given(this.#policy) : readProviderMetadata(text, this.#policy.issuer)
    return new OidcClient(this.#policy, metadata, this.#fetch)
  }

  readonly #fetch: ProviderFetch = (url, asked) => {
    const { endpoints } = this.#policy
    if (url !== INLINE_KEYS || endpoints.kind !== 'given' || endpoints.jwks.kind !== 'inline')
      return this.#connections.fetch(url, asked)
    const headers = { 'content-type': 'application/json' }
    return Promise.resolve(new Response(endpoints.jwks.text, { headers }))
  }
}

/** Stands for keys that are in the configuration: the library wants an address. Nobody has this one (RFC 6761 §6.4). */
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
