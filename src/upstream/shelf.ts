import { type Closable, Leaving } from './leaving.ts'

/**
 * Things with a life of their own, by identity. Whoever needs one takes a share in it; the last one to give its share
 * back closes it.
 */
export class Shelf {
  readonly #items = new Map<string, { readonly item: Closable; shares: number }>()
  readonly #leaving = new Leaving()

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

  /** Gives one share back. */
  giveBack(key: string): void {
    const held = this.#items.get(key)
    if (!held || --held.shares > 0) return
    this.#items.delete(key)
    this.#leaving.letGo(held.item)
  }

  /**
   * Closes everything, whoever holds it. Settles when the last of it has ended.
   *
   * @param graceMs After this, what is still under way is cut off.
   */
  async close(graceMs: number): Promise<void> {
    for (const { item } of this.#items.values()) this.#leaving.letGo(item)
    this.#items.clear()
    const timer = setTimeout(() => void this.#leaving.destroy(), graceMs)
    await this.#leaving.ended()
    clearTimeout(timer)
  }
}
