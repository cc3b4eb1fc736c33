/** Something that can be let go of. */
export interface Closable {
  /** Finishes what is under way, then ends. */
  close(): Promise<void>
}

/**
 * Things with a life of their own, by identity. Whoever needs one takes a share in it; the last one to give its share
 * back closes it.
 */
export class Shelf {
  readonly #items = new Map<string, { readonly item: Closable; shares: number }>()
  readonly #closing = new Set<Promise<void>>()

  /** Things that are held by somebody. */
  get size(): number {
    return this.#items.size
  }

  /** The thing with this identity, made now if there is none. Types by key are the caller's promise. */
  take<T extends Closable>(key: string, make: () => T): T {
    const known = this.#items.get(key)
    if (known) {
      known.shares++
      return known.item as T
    }
    const item = make()
    this.#items.set(key, { item, shares: 1 })
    return item
  }

  giveBack(key: string): void {
    const held = this.#items.get(key)
    if (!held || --held.shares > 0) return
    this.#items.delete(key)
    this.#close(held.item)
  }

  /** Closes everything, whoever holds it. Settles when the last of it has ended. */
  async close(): Promise<void> {
    const items = [...this.#items.values()]
    this.#items.clear()
    for (const { item } of items) this.#close(item)
    await Promise.all(this.#closing)
  }

  #close(item: Closable): void {
    const closing = item.close().finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }
}
