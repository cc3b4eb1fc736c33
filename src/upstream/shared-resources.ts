import { type Closable, Draining } from './draining.ts'

/** Reference-counted resources by key. The last release closes the resource. */
export class SharedResources {
  readonly #items = new Map<string, { readonly item: Closable; shares: number }>()
  readonly #draining = new Draining()

  /** Number of resources in use. */
  get size(): number {
    return this.#items.size
  }

  /** The resource of this key, created if there is none. The type of a key is the caller's responsibility. */
  acquire<T extends Closable>(key: string, make: () => T): T {
    const known = this.#items.get(key)
    if (known) {
      known.shares++
      return known.item as T
    }
    const item = make()
    this.#items.set(key, { item, shares: 1 })
    return item
  }

  /** Releases one reference. */
  release(key: string): void {
    const entry = this.#items.get(key)
    if (!entry || --entry.shares > 0) return
    this.#items.delete(key)
    this.#draining.add(entry.item)
  }

  /**
   * Closes all resources, whatever their references. Settles when the last one has closed.
   *
   * @param graceMs After this, the remaining work is cut.
   */
  async close(graceMs: number): Promise<void> {
    for (const { item } of this.#items.values()) this.#draining.add(item)
    this.#items.clear()
    const timer = setTimeout(() => void this.#draining.destroy(), graceMs)
    await this.#draining.ended()
    clearTimeout(timer)
  }
}
