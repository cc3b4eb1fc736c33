/** How much may be kept of answers that somebody might ask for again, by all clients of a backend together. */
export class KeptBytes {
  readonly #limit: number
  #kept = 0

  constructor(limit: number = LIMIT_BYTES) {
    this.#limit = limit
  }

  /** @returns False if there is no room for so many more. */
  take(bytes: number): boolean {
    if (this.#kept + bytes > this.#limit) return false
    this.#kept += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#kept -= bytes
  }
}

const LIMIT_BYTES = 67_108_864
