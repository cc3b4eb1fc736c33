import { type MeasuredCache, trackCache } from '../../../model/introspection/cache-usage.ts'

/** Bounds the bytes that are kept for resumption, for all clients of a backend together. */
export class ReplayBudget implements MeasuredCache {
  readonly #limit: number
  #kept = 0

  constructor(limit: number = LIMIT_BYTES) {
    this.#limit = limit
    trackCache('mcp_replay', this, { maxBytes: limit })
  }

  /** Events are not counted, only their bytes. */
  readonly size = 0

  get calculatedSize(): number {
    return this.#kept
  }

  /** @returns False if there is no room for so many more. */
  reserve(bytes: number): boolean {
    if (this.#kept + bytes > this.#limit) return false
    this.#kept += bytes
    return true
  }

  release(bytes: number): void {
    this.#kept -= bytes
  }
}

const LIMIT_BYTES = 67_108_864

/** Events of a response that a client may resume. The first event has the number 1. */
export class ReplayBuffer {
  readonly #kept: ReplayBudget
  readonly #events: string[] = []
  #bytes = 0
  /** Events that the client acknowledged by resuming after them. */
  #acknowledged = 0
  /** Events that were removed. */
  #dropped = 0

  constructor(kept: ReplayBudget) {
    this.#kept = kept
  }

  /** The number of the last one. */
  get count(): number {
    return this.#dropped + this.#events.length
  }

  /**
   * @param mayBeLong Whether only the common limit applies.
   * @returns False if there is no room, not even without acknowledged events.
   */
  add(json: string, mayBeLong = false): boolean {
    const limit = mayBeLong ? Infinity : BYTES_LIMIT
    if (!this.#reserve(json.length, limit)) {
      this.#dropAcknowledged()
      if (!this.#reserve(json.length, limit)) return false
    }
    this.#events.push(json)
    return true
  }

  /** Whether all events after this number are kept. */
  hasAllAfter(number: number): boolean {
    return number >= this.#dropped
  }

  /** Events after this number, which the client acknowledges. */
  after(number: number): readonly string[] {
    this.#acknowledged = Math.max(this.#acknowledged, Math.min(number, this.count))
    return this.#events.slice(Math.max(0, number - this.#dropped))
  }

  clear(): void {
    this.#events.length = 0
    this.#kept.release(this.#bytes)
    this.#bytes = 0
  }

  #reserve(bytes: number, limit: number): boolean {
    if (this.#bytes + bytes > limit || !this.#kept.reserve(bytes)) return false
    this.#bytes += bytes
    return true
  }

  /** A client never resumes before an event that it acknowledged. */
  #dropAcknowledged(): void {
    const dropped = this.#events.splice(0, Math.max(0, this.#acknowledged - this.#dropped))
    const bytes = dropped.reduce((sum, { length }) => sum + length, 0)
    this.#dropped += dropped.length
    this.#bytes -= bytes
    this.#kept.release(bytes)
  }
}

/** Limit of one call. */
const BYTES_LIMIT = 1_048_576
