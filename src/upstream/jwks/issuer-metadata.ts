import { Fault } from '../../model/exchange/fault.ts'
import type { Closable } from '../draining.ts'
import { DocumentClient } from './remote-document.ts'

/** A JSON document about an issuer. */
export type IssuerDocument = Readonly<Record<string, unknown>>

/**
 * The metadata of an issuer, fetched on first use, and again when they have expired. Concurrent callers share one
 * request, and an expired document is better than none.
 */
export class IssuerMetadata implements Closable {
  readonly #urls: readonly string[]
  readonly #client = new DocumentClient()
  #known: IssuerDocument | undefined = undefined
  #freshUntil = 0
  #fetching: Promise<IssuerDocument> | undefined = undefined

  /** @param urls Its possible URLs; the first that responds counts. */
  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  /** @throws Fault `issuer_unavailable` if it never responded, and does not now. */
  get(): Promise<IssuerDocument> {
    if (this.#known && performance.now() < this.#freshUntil) return Promise.resolve(this.#known)
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined))
    return this.#fetching
  }

  async close(): Promise<void> {
    await this.destroy()
  }

  async destroy(): Promise<void> {
    await this.#client.destroy()
  }

  async #fetch(): Promise<IssuerDocument> {
    const reasons: string[] = []
    for (const url of this.#urls)
      try {
        const { text = '', freshForMs } = await this.#client.fetch({ url, accept: 'application/json' })
        const document: unknown = JSON.parse(text)
        if (typeof document !== 'object' || document === null) throw new Error('its metadata is no object')
        this.#known = document as IssuerDocument
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

/** How long an expired document is used after a failure. */
const RETRY_MS = 5_000
