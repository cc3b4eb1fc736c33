import { Agent, request } from 'undici'
import { wholeAnswer } from '../whole-answer.ts'

/** What a library that speaks OpenID Connect asks for. */
export interface ProviderRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Asks an identity provider, and gives its whole answer. */
export type ProviderFetch = (url: string, asked: ProviderRequest) => Promise<Response>

const TIMEOUT_MS = 5_000
/** Metadata, tokens and key sets are small. */
const LIMIT_BYTES = 1_048_576

/**
 * Asks an identity provider. Follows no redirects, uses no proxies of the environment, and reads a megabyte in five
 * seconds at most. Rejects with whatever went wrong.
 */
export class ProviderClient {
  readonly #agent = new Agent({ connect: { timeout: TIMEOUT_MS }, connections: 16, allowH2: false })
  readonly #timeoutMs: number
  readonly #called: (seconds: number) => void

  /** @param called Told how long each call took, to its answer or its failure. */
  constructor(timeoutMs: number = TIMEOUT_MS, called: (seconds: number) => void = () => undefined) {
    this.#timeoutMs = timeoutMs
    this.#called = called
  }

  async fetch(url: string, asked: ProviderRequest): Promise<Response> {
    const startedAt = performance.now()
    try {
      return await this.#fetch(url, asked)
    } finally {
      this.#called((performance.now() - startedAt) / 1000)
    }
  }

  /** Cuts off what is under way. */
  async destroy(): Promise<void> {
    await this.#agent.destroy()
  }

  async #fetch(url: string, { method, headers, body, signal }: ProviderRequest): Promise<Response> {
    const timeOut = AbortSignal.timeout(this.#timeoutMs)
    const answer = await request(url, {
      dispatcher: this.#agent,
      method: method as 'GET',
      headers: { 'user-agent': 'agentgateway', ...headers },
      body: body ?? null,
      signal: signal ? AbortSignal.any([signal, timeOut]) : timeOut,
    })
    const bytes = await wholeAnswer(answer.body, LIMIT_BYTES)
    const fields = Object.entries(answer.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    )
    const isBodiless = answer.statusCode === 204 || answer.statusCode === 304
    return new Response(isBodiless ? null : bytes, {
      status: answer.statusCode,
      headers: fields,
    })
  }
}
