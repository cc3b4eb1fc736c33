/**
 * Lets so many do something at once, and turns the others away: a service that hangs must not collect everybody who waits
 * for it.
 */
export class Turnstile {
  readonly #limit: number
  #inside = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Undefined if there is no room; then nothing was begun. */
  pass<T>(act: () => Promise<T>): Promise<T> | undefined {
    if (this.#inside >= this.#limit) return undefined
    this.#inside++
    return this.#through(act)
  }

  async #through<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act()
    } finally {
      this.#inside--
    }
  }
}
