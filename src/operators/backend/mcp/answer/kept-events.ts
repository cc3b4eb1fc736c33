import type { KeptBytes } from './kept-bytes.ts'

/** What has been said in an answer, for a client that comes back for it. Its first event has the number 1. */
export class KeptEvents {
  readonly #kept: KeptBytes
  readonly #events: string[] = []
  #bytes = 0
  /** How many of them have arrived, as far as the client has said. */
  #seen = 0
  /** So many are not kept any more. */
  #dropped = 0

  constructor(kept: KeptBytes) {
    this.#kept = kept
  }

  /** The number of the last one. */
  get count(): number {
    return this.#dropped + this.#events.length
  }

  /**
   * @param mayBeLong Whether it counts only towards what all keep together.
   * @returns False if there is no room for it, not even without those that have arrived.
   */
  add(json: string, mayBeLong = false): boolean {
    const limit = mayBeLong ? Infinity : BYTES_LIMIT
    if (!this.#take(json.length, limit)) {
      this.#dropSeen()
      if (!this.#take(json.length, limit)) return false
    }
    this.#events.push(json)
    return true
  }

  /** Whether all after this number are still there. */
  hasAllAfter(number: number): boolean {
    return number >= this.#dropped
  }

  /** Those after this number, which has arrived. */
  after(number: number): readonly string[] {
    this.#seen = Math.max(this.#seen, Math.min(number, this.count))
    return this.#events.slice(Math.max(0, number - this.#dropped))
  }

  forget(): void {
    this.#events.length = 0
    this.#kept.giveBack(this.#bytes)
    this.#bytes = 0
  }

  #take(bytes: number, limit: number): boolean {
    if (this.#bytes + bytes > limit || !this.#kept.take(bytes)) return false
    this.#bytes += bytes
    return true
  }

  /** Nobody asks again for what came before something that has arrived. */
  #dropSeen(): void {
    const dropped = this.#events.splice(0, Math.max(0, this.#seen - this.#dropped))
    const bytes = dropped.reduce((sum, { length }) => sum + length, 0)
    this.#dropped += dropped.length
    this.#bytes -= bytes
    this.#kept.giveBack(bytes)
  }
}

/** Of one call. */
const BYTES_LIMIT = 1_048_576
