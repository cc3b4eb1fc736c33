/** Events in the order in which they came, for a test that takes one after another. */
export class EventQueue<T> {
  readonly #events: T[] = []
  #wake: (() => void) | undefined = undefined

  push(event: T): void {
    this.#events.push(event)
    this.#wake?.()
    this.#wake = undefined
  }

  /** The next one; waits for it. */
  async next(): Promise<T> {
    for (;;) {
      const [event] = this.#events.splice(0, 1)
      if (event !== undefined) return event
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** How many were not taken. */
  get size(): number {
    return this.#events.length
  }
}
