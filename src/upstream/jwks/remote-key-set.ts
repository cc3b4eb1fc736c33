import { setTimeout as after } from 'node:timers/promises'
import { type KeyRing, readKeyRing } from '../../protocols/jwk/key-ring.ts'
import type { DependencyReport } from '../dependency-status.ts'
import type { KeySet } from './key-set.ts'
import type { Closable } from '../draining.ts'
import { DocumentClient, type RemoteDocument } from './remote-document.ts'

/** The source of keys, and how often they are fetched. */
export interface RemoteKeySetOptions {
  readonly url: string
  /** Receives the outcome of each request. */
  readonly report: DependencyReport
  /** Pause between requests after a response without the missing key. */
  readonly coolDownMs?: number
  /** Delay after the first failure; doubled after each further one, up to a quarter of a minute. */
  readonly retryMs?: number
  /** Upper limit for the freshness of a response. */
  readonly longestMs?: number
  readonly timeoutMs?: number
}

const COOL_DOWN_MS = 2_000
/** Callers that wait for a key at a time. */
const MAX_WAITING = 1_000
const RETRY_MS = 1_000
const LONGEST_RETRY_MS = 15_000
/** Keys are refreshed after this share of their freshness, so that no request waits for expired ones. */
const REFRESH_AT = 0.8

/**
 * The keys of an identity provider. They are fetched at creation, again in the background before they expire, and at
 * once when a token names an unknown key: so keys may be rotated at any time.
 *
 * All callers that miss a key share one request. After one that did not help, the next request follows two seconds
 * later, and further callers wait for it: so tokens with made-up key ids cost the provider little, and do not delay the
 * use of a new key. While the provider is unavailable no caller waits, and the last keys stay in use.
 */
export class RemoteKeySet implements KeySet, Closable {
  ring: KeyRing | undefined = undefined
  readonly #options: RemoteKeySetOptions
  readonly #client: DocumentClient
  readonly #closing = new AbortController()
  #text: string | undefined = undefined
  #etag: string | undefined = undefined
  #fetching: Promise<void> | undefined = undefined
  #later: Promise<void> | undefined = undefined
  #waiting = 0
  #timer: NodeJS.Timeout | undefined = undefined
  #failures = 0
  /** `performance.now()` before which a missing key causes no request. */
  #quietUntil = 0

  constructor(options: RemoteKeySetOptions) {
    this.#options = options
    this.#client = new DocumentClient(options.timeoutMs)
    void this.#fetch()
  }

  async seek(id: string): Promise<void> {
    // The request under way may have begun before the key was added.
    if (this.#fetching) await this.#fetching
    if (this.ring?.has(id)) return
    if (this.#fetching) return this.#fetching
    if (this.#closing.signal.aborted) return
    const quietMs = this.#quietUntil - performance.now()
    if (quietMs > 0) {
      if (this.#failures > 0 || this.#waiting >= MAX_WAITING) return
      await this.#fetchAfter(quietMs)
    } else await this.#fetch()
    if (!this.ring?.has(id)) this.#beQuiet()
  }

  async close(): Promise<void> {
    await this.destroy()
  }

  async destroy(): Promise<void> {
    clearTimeout(this.#timer)
    this.#closing.abort()
    this.#options.report.end()
    await this.#client.destroy()
    await this.#fetching
  }

  /** One request for all waiting callers. */
  async #fetchAfter(ms: number): Promise<void> {
    this.#waiting++
    this.#later ??= after(ms, undefined, { signal: this.#closing.signal, ref: false })
      .then(() => this.#fetch())
      .catch(() => undefined) // closed meanwhile
      .finally(() => (this.#later = undefined))
    await this.#later
    this.#waiting--
  }

  #fetch(): Promise<void> {
    clearTimeout(this.#timer)
    this.#fetching ??= this.#load().finally(() => (this.#fetching = undefined))
    return this.#fetching
  }

  async #load(): Promise<void> {
    const { url, report, longestMs = Infinity } = this.#options
    try {
      const document = await this.#client.fetch({
        url,
        accept: 'application/jwk-set+json, application/json',
        etag: this.#etag,
        signal: this.#closing.signal,
      })
      this.#take(document)
      this.#failures = 0
      report.ready()
      this.#fetchIn(Math.min(document.freshForMs, longestMs) * REFRESH_AT)
    } catch (error) {
      if (this.#closing.signal.aborted) return
      const { retryMs = RETRY_MS } = this.#options
      const waitMs = Math.min(retryMs * 2 ** this.#failures++, LONGEST_RETRY_MS)
      this.#beQuiet()
      report.failed(error instanceof Error ? error.message : String(error))
      this.#fetchIn(waitMs)
    }
  }

  #take({ text, etag }: RemoteDocument): void {
    // Comparing texts keeps the ring, and with it all cached verifications.
    if (text === undefined || text === this.#text) {
      this.#etag = etag
      return
    }
    const ring = readKeyRing(text)
    if ('problem' in ring) throw new Error(`its key set ${ring.problem}`)
    if (ring.ids.length === 0 && !this.ring) throw new Error('its key set has no key that could be used')
    this.ring = ring
    this.#text = text
    this.#etag = etag
  }

  #fetchIn(ms: number): void {
    if (this.#closing.signal.aborted) return
    this.#timer = setTimeout(() => void this.#fetch(), ms)
    this.#timer.unref()
  }

  #beQuiet(): void {
    if (this.#quietUntil > performance.now()) return
    this.#quietUntil = performance.now() + (this.#options.coolDownMs ?? COOL_DOWN_MS)
  }
}
