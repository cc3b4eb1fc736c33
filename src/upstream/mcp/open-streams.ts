/** Answers that would never end by themselves, such as streams of news. Whoever shuts down ends them all. */
export class OpenStreams {
  readonly #ends = new Set<() => void>()

  /** @returns What to call when it has ended. */
  add(end: () => void): () => void {
    this.#ends.add(end)
    return () => {
      this.#ends.delete(end)
    }
  }

  endAll(): void {
    for (const end of [...this.#ends]) end()
  }
}
