/** Answers that would never end by themselves, such as streams of news. Whoever shuts down ends them all. */
export class OpenStreams {
  readonly #ends = new Set<() => void>()
  #isLeaving = false

  /** Whether the process is about to end: who lets go of a connection now may not find it any more. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** Comes before `endAll`, which may be a while later. */
  leave(): void {
    this.#isLeaving = true
  }

  /** @returns What to call when it has ended. */
  add(end: () => void): () => void {
    this.#ends.add(end)
    return () => {
      this.#ends.delete(end)
    }
  }

  endAll(): void {
    this.leave()
    for (const end of [...this.#ends]) end()
  }
}
