/** A resource that can be closed. */
export interface Closable {
  /** Finishes the work under way, then closes. */
  close(): Promise<void>
  /** Closes at once; a `close` under way settles. */
  destroy(): Promise<void>
}

/** Resources that are no longer used and finish their work. */
export class Draining {
  readonly #closing = new Map<Closable, Promise<void>>()

  /** Drains a resource. */
  add(item: Closable): void {
    if (this.#closing.has(item)) return
    this.#closing.set(
      item,
      item.close().finally(() => this.#closing.delete(item)),
    )
  }

  /** Settles when all of them have closed. */
  async ended(): Promise<void> {
    await Promise.all(this.#closing.values())
  }

  /** Cuts their remaining work. */
  async destroy(): Promise<void> {
    await Promise.all([...this.#closing.keys()].map((item) => item.destroy()))
  }
}
