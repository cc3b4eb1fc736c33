/** Responses that never end by themselves, such as notification streams. Shutdown ends them all. */
export class OpenStreams {
  readonly #ends = new Set<() => void>()
  #isShuttingDown = false
  #hasEnded = false

  /** Number of open streams. */
  get size(): number {
    return this.#ends.size
  }

  /** Whether the process is shutting down: clients that disconnect now may not reach it again. */
  get isShuttingDown(): boolean {
    return this.#isShuttingDown
  }

  /** Called before `endAll`, which may follow later. */
  beginShutdown(): void {
    this.#isShuttingDown = true
  }

  /** @returns To be called when the response has ended. */
  add(end: () => void): () => void {
    this.#ends.add(end)
    // Draining connections still get responses.
    if (this.#hasEnded)
      queueMicrotask(() => {
        if (this.#ends.has(end)) end()
      })
    return () => {
      this.#ends.delete(end)
    }
  }

  endAll(): void {
    this.beginShutdown()
    this.#hasEnded = true
    for (const end of [...this.#ends]) end()
  }
}
