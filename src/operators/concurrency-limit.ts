/**
 * Bounds the number of concurrent actions, and rejects further ones: a service that hangs must not collect all waiting
 * requests.
 */
export class ConcurrencyLimit {
  readonly #limit: number
  #running = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Undefined if the limit is reached; then nothing was started. */
  run<T>(act: () => Promise<T>): Promise<T> | undefined {
    if (this.#running >= this.#limit) return undefined
    this.#running++
    return this.#count(act)
  }

  async #count<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act()
    } finally {
      this.#running--
    }
  }
}
