import type { EndpointCondition } from './choice.ts'

/** When a failing endpoint is evicted, and for how long. */
export interface Eviction {
  /** Consecutive failures that evict; if this and `healthThreshold` are undefined, the first failure does. */
  readonly consecutiveFailures?: number | undefined
  /** 0…1. Health below this evicts. */
  readonly healthThreshold?: number | undefined
  /** Duration of the first eviction; each further one is longer by as much. */
  readonly durationMs?: number | undefined
  /** 0…1. Health after the eviction; undefined is full health. */
  readonly restoreHealth?: number | undefined
}

/** The state of an endpoint, and since when. */
export interface HealthState {
  /** `evicted`: excluded for a while because of failed calls. `unhealthy`: excluded because of failed checks. */
  readonly state: 'healthy' | 'evicted' | 'unhealthy'
  /** Reason of the last exclusion; undefined if there was none. */
  readonly reason: string | undefined
  /** Since when, by the caller's clock. */
  readonly since: number
  /** Until when, if known. */
  readonly until: number | undefined
  /** 0…1. */
  readonly score: number
  readonly consecutiveFailures: number
  /** How often it was evicted. */
  readonly evictions: number
}

/** Properties of an endpoint's health beside its calls. */
export interface HealthOptions {
  /** For how long a new or returning endpoint gets less than its share; none by default. */
  readonly slowStartMs?: number | undefined
  /** When the endpoint was added; by default it has always existed. */
  readonly now?: number | undefined
  /** Called whenever it is excluded, and when its return is detected. */
  readonly changed?: ((now: number) => void) | undefined
}

/** Weight of the newest observation in a moving average. */
const ALPHA = 0.3
/**
 * Half-life of the bad record, and the latency, of an endpoint without calls; otherwise it would never be tried again.
 */
const FORGIVEN_HALF_MS = 10_000
const DEFAULT_EVICTION_MS = 3_000
/** Longest eviction, however often an endpoint failed. */
const MAX_EVICTION_MS = 300_000
/** Share at the beginning of a slow start. */
const LEAST_STRENGTH = 0.1

/**
 * Health of one endpoint from its calls and checks: moving averages of health and latency, and whether it is excluded
 * for now. Times are those of the caller's clock, in milliseconds.
 */
export class EndpointHealth implements EndpointCondition {
  /** Calls under way. */
  pending = 0
  #health = 1
  #latencyMs = 0
  #observedAt = 0
  #failuresInARow = 0
  #evictedUntil = 0
  #evictions = 0
  #evictionsInAll = 0
  #restoreHealth = 1
  #lastEvictionMs = 0
  #failingCheck: string | undefined = undefined
  #reason: string | undefined = undefined
  #since: number
  #upSince: number
  readonly #slowStartMs: number
  readonly #changed: (now: number) => void

  constructor({ slowStartMs = 0, now, changed = ignore }: HealthOptions = {}) {
    this.#slowStartMs = slowStartMs
    this.#upSince = now ?? -Infinity
    this.#since = now ?? 0
    this.#changed = changed
  }

  /** A call begins. */
  began(): void {
    this.pending++
  }

  /** A call has ended, or was abandoned. */
  released(): void {
    this.pending--
  }

  /** The higher, the better: health divided by the expected wait of a further call. */
  score(now: number): number {
    return this.#healthAt(now) / (1 + (this.#latencyAt(now) / 1000) * (1 + this.pending * 0.1))
  }

  /** Excluded until its eviction ends, and as long as its checks fail; then it returns. */
  isEvicted(now: number): boolean {
    if (this.#evictedUntil === 0) return this.#failingCheck !== undefined
    if (now < this.#evictedUntil) return true
    this.#evictedUntil = 0
    this.#failuresInARow = 0
    this.#health = this.#restoreHealth
    // The old latency implies nothing about now, and of two endpoints the slower one would never be chosen.
    this.#latencyMs = 0
    this.#observedAt = now
    if (this.#failingCheck !== undefined) return true
    this.#recordReturn(now)
    return false
  }

  strength(now: number): number {
    const elapsedMs = now - this.#upSince
    return elapsedMs >= this.#slowStartMs ? 1 : Math.max(LEAST_STRENGTH, elapsedMs / this.#slowStartMs)
  }

  /** The state, for reports. */
  state(now: number): HealthState {
    const isOut = this.isEvicted(now)
    const isEvicted = this.#evictedUntil > 0
    return {
      state: !isOut ? 'healthy' : this.#failingCheck === undefined ? 'evicted' : 'unhealthy',
      reason: this.#reason,
      since: this.#since,
      until: isEvicted && this.#failingCheck === undefined ? this.#evictedUntil : undefined,
      score: this.#healthAt(now),
      consecutiveFailures: this.#failuresInARow,
      evictions: this.#evictionsInAll,
    }
  }

  /** @param failing Why checks fail; undefined if they pass. */
  checked(now: number, failing: string | undefined): void {
    const wasOut = this.isEvicted(now)
    const before = this.#failingCheck
    this.#failingCheck = failing
    if (failing !== undefined && before === undefined) this.#recordExclusion(now, failing, !wasOut)
    else if (failing === undefined && before !== undefined && !this.isEvicted(now)) {
      this.#failuresInARow = 0
      this.#recordReturn(now)
    }
  }

  succeeded(now: number, latencyMs: number): void {
    this.#observe(now, 1)
    const before = this.#latencyMs
    this.#latencyMs = before === 0 ? latencyMs : mix(before, latencyMs)
    this.#failuresInARow = 0
    // After being good for as long as it was evicted, its record is cleared.
    if (this.#evictions && now - this.#evictedAt > 2 * this.#lastEvictionMs) this.#evictions = 0
  }

  /**
   * @param eviction Undefined never evicts: the bad record alone makes others preferred.
   * @param retryAfterMs The delay that the endpoint itself requested.
   * @param reason What went wrong, in a few words.
   */
  failed(now: number, eviction: Eviction | undefined, retryAfterMs?: number, reason = 'failed'): void {
    this.#observe(now, 0)
    this.#failuresInARow++
    if (!eviction || this.#evictedUntil > now || !this.#isEnough(eviction)) return
    const baseMs = eviction.durationMs ?? retryAfterMs ?? DEFAULT_EVICTION_MS
    this.#lastEvictionMs = Math.min(baseMs * (this.#evictions + 1), Math.max(MAX_EVICTION_MS, baseMs))
    this.#evictions++
    this.#evictionsInAll++
    this.#evictedAt = now
    this.#evictedUntil = now + this.#lastEvictionMs
    this.#restoreHealth = eviction.restoreHealth ?? 1
    if (this.#failingCheck === undefined) this.#recordExclusion(now, reason, true)
  }

  #evictedAt = 0

  #recordExclusion(now: number, reason: string, isNew: boolean): void {
    this.#reason = reason
    if (isNew) this.#since = now
    this.#changed(now)
  }

  #recordReturn(now: number): void {
    this.#since = now
    this.#upSince = now
    this.#changed(now)
  }

  #isEnough({ consecutiveFailures, healthThreshold }: Eviction): boolean {
    if (consecutiveFailures === undefined && healthThreshold === undefined) return true
    return (
      (consecutiveFailures !== undefined && this.#failuresInARow >= consecutiveFailures) ||
      (healthThreshold !== undefined && this.#health < healthThreshold)
    )
  }

  #observe(now: number, sample: 0 | 1): void {
    const pastWeight = this.#pastWeightAt(now)
    this.#health = mix(1 - (1 - this.#health) * pastWeight, sample)
    this.#latencyMs *= pastWeight
    this.#observedAt = now
  }

  #healthAt(now: number): number {
    if (this.#health === 1) return 1
    return 1 - (1 - this.#health) * this.#pastWeightAt(now)
  }

  #latencyAt(now: number): number {
    return this.#latencyMs * this.#pastWeightAt(now)
  }

  /** The weight of past observations, 0…1. */
  #pastWeightAt(now: number): number {
    return 0.5 ** ((now - this.#observedAt) / FORGIVEN_HALF_MS)
  }
}

const ignore = (): void => undefined

const mix = (average: number, sample: number): number => average + ALPHA * (sample - average)
