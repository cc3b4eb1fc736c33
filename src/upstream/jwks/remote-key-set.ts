import { setTimeout as after } from 'node:timers/promises'
import { type KeyRing, readKeyRing } from '../protocols/jwk/key-ring.ts'
import type { DependencyReport } from './dependencies.ts'
import type { KeySet } from './key-set.ts'
import type { Closable } from './leaving.ts'
import { DocumentClient, type RemoteDocument } from './remote-document.ts'

/** Where keys are from, and how often they are asked for. */
export interface RemoteKeySetOptions {
  readonly url: string
  /** Where it is told how it went. */
  readonly report: DependencyReport
  /** How long the provider is left in peace after an answer without the key that was looked for. */
  readonly coolDownMs?: number
  /** How long to wait after the first failure; doubled after each further one, up to a quarter of a minute. */
  readonly retryMs?: number
  /** Asks sooner than an answer's own word on how long it is fresh. */
  readonly longestMs?: number
  readonly timeoutMs?: number
}

const COOL_DOWN_MS = 2_000
/** Those who look for a key wait for the next request, but not too many of them. */
const MAX_WAITING = 1_000
const RETRY_MS = 1_000
const LONGEST_RETRY_MS = 15_000
/** Asked anew when so much of the time has passed, so that nobody ever waits for keys that are out of date. */
const REFRESH_AT = 0.8

/**
 * The keys of an identity provider. They are fetched when made, again in the background before they are out of date, and
 * at once when a token names a key that is not among them: so keys may be rotated at any time.
 *
 * All who look for a key share one request. After one that did not help, the provider is left in peace for two seconds,
 * for which further ones wait: so tokens with made-up key ids cost it little, and keep nobody from using a new key. While
 * the provider is away, nobody waits, and the keys that were had last go on being used.
 */
export class RemoteKeySet implements KeySet, Closable {
  ring: KeyRing | undefined = undefined
  readonly #options: RemoteKeySetOptions
  readonly #client: DocumentClient
  readonly #closing = new AbortController()
  #text: string | undefined = undefined
  #etag: string | undefined = undefined
  #asking: Promise<void> | undefined = undefined
  #later: Promise<void> | undefined = undefined
  #waiting = 0
  #timer: NodeJS.Timeout | undefined = undefined
  #failures = 0
  /** `performance.now()` before which nobody is asked for the sake of a key. */
  #quietUntil = 0

  constructor(options: RemoteKeySetOptions) {
    this.#options = options
    this.#client = new DocumentClient(options.timeoutMs)
    void this.#ask()
  }

  async seek(id: string): Promise<void> {
    // What is under way may have begun before the key was there.
    if (this.#asking) await this.#asking
    if (this.ring?.has(id)) return
    if (this.#asking) return this.#asking
    if (this.#closing.signal.aborted) return
    const quietMs = this.#quietUntil - performance.now()
    if (quietMs > 0) {
      if (this.#failures > 0 || this.#waiting >= MAX_WAITING) return
      await this.#askAfter(quietMs)
    } else await this.#ask()
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
    await this.#asking
  }

  /** One request for all who wait for it. */
  async #askAfter(ms: number): Promise<void> {
    this.#waiting++
    this.#later ??= after(ms, undefined, { signal: this.#closing.signal, ref: false })
      .then(() => this.#ask())
      .catch(() => undefined) // closed meanwhile
      .finally(() => (this.#later = undefined))
    await this.#later
    this.#waiting--
  }

  #ask(): Promise<void> {
    clearTimeout(this.#timer)
    this.#asking ??= this.#fetch().finally(() => (this.#asking = undefined))
    return this.#asking
  }

  async #fetch(): Promise<void> {
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
      this.#askIn(Math.min(document.freshForMs, longestMs) * REFRESH_AT)
    } catch (error) {
      if (this.#closing.signal.aborted) return
      const { retryMs = RETRY_MS } = this.#options
      const waitMs = Math.min(retryMs * 2 ** this.#failures++, LONGEST_RETRY_MS)
      this.#beQuiet()
      report.failed(error instanceof Error ? error.message : String(error))
      this.#askIn(waitMs)
    }
  }

  #take({ text, etag }: RemoteDocument): void {
    // Comparing texts keeps the ring, and with it everything that was verified with it.
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

  #askIn(ms: number): void {
    if (this.#closing.signal.aborted) return
    this.#timer = setTimeout(() => void this.#ask(), ms)
    this.#timer.unref()
  }

  #beQuiet(): void {
    if (this.#quietUntil > performance.now()) return
    this.#quietUntil = performance.now() + (this.#options.coolDownMs ?? COOL_DOWN_MS)
  }
}
