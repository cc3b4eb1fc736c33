/** When an endpoint that fails is left out for a while. */
export interface Eviction {
  /** Failures in a row that are enough; undefined with `healthThreshold` undefined means the first. */
  readonly consecutiveFailures?: number | undefined
  /** 0…1. Health below this is enough. */
  readonly healthThreshold?: number | undefined
  /** How long the first time; each further time adds as much again. */
  readonly durationMs?: number | undefined
  /** 0…1. Health to return with; undefined is full health. */
  readonly restoreHealth?: number | undefined
}

/** Weight of the newest observation in a moving average. */
const ALPHA = 0.3
/** An endpoint nobody calls forgets half of its bad record, and of its latency, in this time, else it would never be tried again. */
const FORGIVEN_HALF_MS = 10_000
const DEFAULT_EVICTION_MS = 3_000
/** However often an endpoint failed, it gets a chance this often. */
const MAX_EVICTION_MS = 300_000

/**
 * What calls have shown about one endpoint: moving averages of health and latency, and whether it is left out for now.
 * Times are those of the caller's clock, in milliseconds.
 */
export class Health {
  /** Calls under way. */
  pending = 0
  #health = 1
  #latencyMs = 0
  #observedAt = 0
  #failuresInARow = 0
  #evictedUntil = 0
  #evictions = 0
  #restoreHealth = 1
  #lastEvictionMs = 0

  /** The higher, the better: health over what a further call would have to wait. */
  score(now: number): number {
    return this.#healthAt(now) / (1 + (this.#latencyAt(now) / 1000) * (1 + this.pending * 0.1))
  }

  /** Left out until its time is over; then it comes back. */
  isEvicted(now: number): boolean {
    if (this.#evictedUntil === 0) return false
    if (now < this.#evictedUntil) return true
    this.#evictedUntil = 0
    this.#failuresInARow = 0
    this.#health = this.#restoreHealth
    // How slow it was then says nothing about now, and between two endpoints the slower one would never be asked.
    this.#latencyMs = 0
    this.#observedAt = now
    return false
  }

  succeeded(now: number, latencyMs: number): void {
    this.#observe(now, 1)
    const before = this.#latencyMs
    this.#latencyMs = before === 0 ? latencyMs : mix(before, latencyMs)
    this.#failuresInARow = 0
    // Having been good for as long as it was left out, it starts with a clean record.
    if (this.#evictions && now - this.#evictedAt > 2 * this.#lastEvictionMs) this.#evictions = 0
  }

  /**
   * @param eviction Undefined never evicts: the bad record alone makes others preferred.
   * @param askedMs How long the endpoint itself asked to be left alone.
   */
  failed(now: number, eviction: Eviction | undefined, askedMs?: number): void {
    this.#observe(now, 0)
    this.#failuresInARow++
    if (!eviction || this.#evictedUntil > now || !this.#isEnough(eviction)) return
    const baseMs = eviction.durationMs ?? askedMs ?? DEFAULT_EVICTION_MS
    this.#lastEvictionMs = Math.min(baseMs * (this.#evictions + 1), Math.max(MAX_EVICTION_MS, baseMs))
    this.#evictions++
    this.#evictedAt = now
    this.#evictedUntil = now + this.#lastEvictionMs
    this.#restoreHealth = eviction.restoreHealth ?? 1
  }

  #evictedAt = 0

  #isEnough({ consecutiveFailures, healthThreshold }: Eviction): boolean {
    if (consecutiveFailures === undefined && healthThreshold === undefined) return true
    return (
      (consecutiveFailures !== undefined && this.#failuresInARow >= consecutiveFailures) ||
      (healthThreshold !== undefined && this.#health < healthThreshold)
    )
  }

  #observe(now: number, sample: 0 | 1): void {
    const remembered = this.#rememberedAt(now)
    this.#health = mix(1 - (1 - this.#health) * remembered, sample)
    this.#latencyMs *= remembered
    this.#observedAt = now
  }

  #healthAt(now: number): number {
    if (this.#health === 1) return 1
    return 1 - (1 - this.#health) * this.#rememberedAt(now)
  }

  #latencyAt(now: number): number {
    return this.#latencyMs * this.#rememberedAt(now)
  }

  /** How much of what was observed still counts, 0…1. */
  #rememberedAt(now: number): number {
    return 0.5 ** ((now - this.#observedAt) / FORGIVEN_HALF_MS)
  }
}

const mix = (average: number, sample: number): number => average + ALPHA * (sample - average)
