import { Fault } from '../model/fault.ts'
import type { Closable } from './leaving.ts'
import { DocumentClient } from './remote-document.ts'

/** A JSON document about somebody. */
export type Metadata = Readonly<Record<string, unknown>>

/**
 * What an issuer says about itself, fetched when it is first asked for, and again when it is out of date. All who ask at
 * one time share one request, and an old answer is better than none.
 */
export class IssuerMetadata implements Closable {
  readonly #places: readonly string[]
  readonly #client = new DocumentClient()
  #known: Metadata | undefined = undefined
  #freshUntil = 0
  #asking: Promise<Metadata> | undefined = undefined

  /** @param places Where it may be; the first that answers counts. */
  constructor(places: readonly string[]) {
    this.#places = places
  }

  /** @throws Fault `issuer_unavailable` if it never answered, and does not now. */
  get(): Promise<Metadata> {
    if (this.#known && performance.now() < this.#freshUntil) return Promise.resolve(this.#known)
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined))
    return this.#asking
  }

  async close(): Promise<void> {
    await this.destroy()
  }

  async destroy(): Promise<void> {
    await this.#client.destroy()
  }

  async #ask(): Promise<Metadata> {
    const reasons: string[] = []
    for (const url of this.#places)
      try {
        const { text = '', freshForMs } = await this.#client.fetch({ url, accept: 'application/json' })
        const document: unknown = JSON.parse(text)
        if (typeof document !== 'object' || document === null) throw new Error('its metadata is no object')
        this.#known = document as Metadata
        this.#freshUntil = performance.now() + freshForMs
        return this.#known
      } catch (error) {
        reasons.push(`${url}: ${error instanceof Error ? error.message : String(error)}`)
      }
    if (this.#known) {
      this.#freshUntil = performance.now() + RETRY_MS
      return this.#known
    }
    throw new Fault('issuer_unavailable', 'processing failed: the identity provider does not answer', {
      status: 503,
      reason: 'UpstreamFailure',
      cause: new Error(reasons.join('; ')),
    })
  }
}

/** How long an old answer is good enough after a failure. */
const RETRY_MS = 5_000
