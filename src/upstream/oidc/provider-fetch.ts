import { Agent, request } from 'undici'
import { readResponse } from '../http/response/read-response.ts'

/** A request of the OpenID Connect library. */
export interface ProviderRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Calls an identity provider, and returns its whole response. */
export type ProviderFetch = (url: string, request: ProviderRequest) => Promise<Response>

const TIMEOUT_MS = 5_000
/** Metadata, tokens and key sets are small. */
const LIMIT_BYTES = 1_048_576

/**
 * Calls an identity provider. Follows no redirects, uses no proxies of the environment, and reads a megabyte in five
 * seconds at most. Rejects with the cause of a failure.
 */
export class ProviderClient {
  readonly #agent = new Agent({ connect: { timeout: TIMEOUT_MS }, connections: 16, allowH2: false })
  readonly #timeoutMs: number
  readonly #called: (seconds: number) => void

  /** @param called Called with the duration of each call, to its response or failure. */
  constructor(timeoutMs: number = TIMEOUT_MS, called: (seconds: number) => void = () => undefined) {
    this.#timeoutMs = timeoutMs
    this.#called = called
  }

  async fetch(url: string, request: ProviderRequest): Promise<Response> {
    const startedAt = performance.now()
    try {
      return await this.#fetch(url, request)
    } finally {
      this.#called((performance.now() - startedAt) / 1000)
    }
  }

  /** Cuts the calls under way. */
  async destroy(): Promise<void> {
    await this.#agent.destroy()
  }

  async #fetch(url: string, { method, headers, body, signal }: ProviderRequest): Promise<Response> {
    const timeOut = AbortSignal.timeout(this.#timeoutMs)
    const response = await request(url, {
      dispatcher: this.#agent,
      method: method as 'GET',
      headers: { 'user-agent': 'agentgateway', ...headers },
      body: body ?? null,
      signal: signal ? AbortSignal.any([signal, timeOut]) : timeOut,
    })
    const bytes = await readResponse(response.body, LIMIT_BYTES)
    const fields = Object.entries(response.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    )
    const isBodiless = response.statusCode === 204 || response.statusCode === 304
    return new Response(isBodiless ? null : bytes, {
      status: response.statusCode,
      headers: fields,
    })
  }
}
