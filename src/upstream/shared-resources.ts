import { type Closable, Draining } from './draining.ts'

/** A resource in use. Its users keep this, and no key of their own: there may be tens of thousands. */
export interface Shared<T extends Closable = Closable> {
  readonly key: string
  readonly item: T
}

/** Reference-counted resources by key. The last release closes the resource. */
export class SharedResources {
  readonly #items = new Map<string, Counted>()
  readonly #draining = new Draining()

  /** Number of resources in use. */
  get size(): number {
    return this.#items.size
  }

  /** The resource of this key, created if there is none. The type of a key is the caller's responsibility. */
  acquire<T extends Closable>(key: string, make: () => T): Shared<T> {
    const known = this.#items.get(key)
    if (known) {
      known.shares++
      return known as Counted<T>
    }
    const shared = { key, item: make(), shares: 1 }
    this.#items.set(key, shared)
    return shared
  }

  /** Releases one reference. */
  release({ key }: Shared): void {
    const shared = this.#items.get(key)
    if (!shared || --shared.shares > 0) return
    this.#items.delete(key)
    this.#draining.add(shared.item)
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

interface Counted<T extends Closable = Closable> extends Shared<T> {
  shares: number
}
