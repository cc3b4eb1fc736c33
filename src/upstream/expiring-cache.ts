import type { LRUCache } from 'lru-cache'
import { boundedCache } from '../model/introspection/bounded-cache.ts'

/** Limits of a cache, and its size function and clock. */
export interface ExpiringCacheOptions<Value> {
  /** For operators; several caches may share it. */
  readonly name: string
  readonly maxEntries: number
  readonly maxBytes: number
  /** An estimate of what an entry takes in memory, key included. At least 1. */
  readonly bytesOf: (value: Value, key: string) => number
  /** Called with every entry that is evicted for another one. */
  readonly onEvict?: (() => void) | undefined
  /** Called with every entry that is removed for any reason, except being replaced. */
  readonly onRemove?: ((value: Value) => void) | undefined
  /** Milliseconds. */
  readonly now?: () => number
}

/**
 * A cache with a limit in entries and one in bytes, whose entries are freed once they have expired. A cache that checks
 * expiry only on reads would keep entries that are never read again, such as renewed tokens.
 *
 * @example
 * const tokens = new ExpiringCache<string>({ name: 'tokens', maxEntries: 100, maxBytes: 2 ** 20, bytesOf: (text) => text.length })
 * tokens.set('ann', 'secret', 60_000)
 */
export class ExpiringCache<Value extends object> {
  readonly #entries: LRUCache<string, Value>
  #timer: NodeJS.Timeout | undefined = undefined

  constructor({ name, maxEntries, maxBytes, bytesOf, onEvict, onRemove, now }: ExpiringCacheOptions<Value>) {
    this.#entries = boundedCache<string, Value>(name, {
      max: maxEntries,
      maxSize: maxBytes,
      sizeCalculation: (value, key) => Math.max(1, Math.ceil(bytesOf(value, key))),
      dispose: (value, _key, reason) => {
        if (reason === 'evict') onEvict?.()
        if (reason !== 'set') onRemove?.(value)
      },
      ...(now && { perf: { now }, ttlResolution: 0 }),
    })
  }

  get size(): number {
    return this.#entries.size
  }

  /** Estimated. */
  get bytes(): number {
    return this.#entries.calculatedSize
  }

  /** Undefined if there is none, or it has expired. */
  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  /** An entry that is larger than the whole cache, or already expired, is not kept. */
  set(key: string, value: Value, ttlMs: number): void {
    if (!(ttlMs > 0)) {
      this.#entries.delete(key)
      return
    }
    // The library accepts whole milliseconds only, and treats 0 as no expiry.
    this.#entries.set(key, value, { ttl: Math.max(1, Math.min(Math.ceil(ttlMs), MAX_TTL_MS)) })
    this.#timer ??= setInterval(() => this.sweep(), SWEEP_MS).unref()
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  /** Least recently used last. */
  keys(): readonly string[] {
    return [...this.#entries.keys()]
  }

  clear(): void {
    this.#entries.clear()
    this.sweep()
  }

  /** Frees expired entries. Runs by itself every half a minute while the cache is not empty. */
  sweep(): void {
    this.#entries.purgeStale()
    if (this.#entries.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

const SWEEP_MS = 30_000
/** Longer than any entry here is useful, and within the whole milliseconds of clocks. */
const MAX_TTL_MS = 366 * 24 * 3_600_000
