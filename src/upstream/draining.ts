/** Something that can be let go of. */
export interface Closable {
  /** Finishes what is under way, then ends. */
  close(): Promise<void>
  /** Ends at once; a `close` under way settles. */
  destroy(): Promise<void>
}

/** Things that nobody needs any more, and that have something to finish. */
export class Leaving {
  readonly #closing = new Map<Closable, Promise<void>>()

  /** Lets a thing finish. */
  letGo(item: Closable): void {
    if (this.#closing.has(item)) return
    this.#closing.set(
      item,
      item.close().finally(() => this.#closing.delete(item)),
    )
  }

  /** Settles when all of them have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#closing.values())
  }

  /** Cuts off what they have not finished. */
  async destroy(): Promise<void> {
    await Promise.all([...this.#closing.keys()].map((item) => item.destroy()))
  }
}
