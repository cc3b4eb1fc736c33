import { identifyingText } from '../../cel/values/canonical-text.ts'
import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { ExpiringCache } from '../../upstream/expiring-cache.ts'
import type { CheckResult } from './check-result.ts'

/** Which decisions are cached. */
export interface DecisionCacheOptions {
  /** Requests for which all of these evaluate to the same share a decision. */
  readonly key: readonly Evaluate[]
  /** A duration, or the time until which the decision is valid; evaluated after the decision was applied. */
  readonly ttl: Evaluate
  readonly maxEntries: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Called for each evicted decision. */
  readonly evicted?: () => void
}

/** A decision that is still valid. */
export interface CachedDecision {
  readonly result: CheckResult
  readonly until: number
  /** From then on one request refreshes the decision, while the others use the cached one. */
  readonly refreshAt: number
  isRefreshing: boolean
}

/**
 * A decision is refreshed before it expires: by this share of its lifetime, but no more than that many milliseconds.
 */
const AHEAD = 0.2
const AHEAD_MS = 5_000

/** Limits per policy. Keys may contain tokens, and decisions whole replies. */
const MAX_BYTES = 64 * 1024 * 1024

/** A cache of decisions, with refresh ahead of expiry. */
export class DecisionCache {
  readonly #options: DecisionCacheOptions
  readonly #decisions: ExpiringCache<CachedDecision>

  constructor(options: DecisionCacheOptions) {
    this.#options = options
    this.#decisions = new ExpiringCache({
      name: 'decisions',
      maxEntries: options.maxEntries,
      maxBytes: MAX_BYTES,
      bytesOf,
      onEvict: options.evicted,
      now: options.now,
    })
  }

  /** Undefined if a part of the key cannot be evaluated: then nothing is cached. */
  keyOf(x: Exchange): string | undefined {
    const parts: unknown[] = []
    for (const part of this.#options.key) {
      const result = part(x)
      if ('error' in result) return undefined
      parts.push(result.value)
    }
    return identifyingText(parts)
  }

  /** The cached decision, if it is still valid. */
  find(key: string): CachedDecision | undefined {
    const cached = this.#decisions.get(key)
    if (!cached || cached.until > this.#options.now()) return cached
    this.#decisions.delete(key)
    return undefined
  }

  /** Whether this request is the one that refreshes the decision. If so, the caller has to report when it is done. */
  needsRefresh(cached: CachedDecision): boolean {
    return !cached.isRefreshing && cached.refreshAt <= this.#options.now()
  }

  /** Caches a decision that has just been applied to an exchange. It replaces an earlier one. */
  keep(key: string, result: CheckResult, x: Exchange): void {
    if (!result.isCacheable) return
    const now = this.#options.now()
    const until = endOf(this.#options.ttl(x), now)
    if (until === undefined || until <= now) {
      this.#decisions.delete(key)
      return
    }
    const refreshAt = until - Math.min((until - now) * AHEAD, AHEAD_MS)
    this.#decisions.set(key, { result, until, refreshAt, isRefreshing: false }, until - now)
  }
}

/** The approximate size of a decision in memory, in bytes. */
const bytesOf = ({ result }: CachedDecision, key: string): number => {
  const body = result.allowed ? 0 : (result.body?.length ?? 0)
  const fields = result.allowed ? result.fields.length + result.replyFields.length : 0
  return key.length * 2 + body + fields * 200 + 1_024
}

/** CEL durations have a primitive value in milliseconds, timestamps are dates. Nothing else is a time. */
const endOf = (result: ReturnType<Evaluate>, now: number): number | undefined => {
  const value: unknown = 'value' in result ? result.value : undefined
  if (typeof value !== 'object' || value === null) return undefined
  const ms: unknown = value.valueOf()
  if (typeof ms !== 'number' || Number.isNaN(ms)) return undefined
  return value instanceof Date ? ms : now + ms
}
