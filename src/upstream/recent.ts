/** A bounded collection by name: what has not been asked for longest gives way to what is new. */
export class Recent<T> {
  readonly #items = new Map<string, T>()
  readonly #limit: number
  readonly #evicted: (item: T) => void

  /** @param evicted Told of every item that goes. */
  constructor(limit: number, evicted: (item: T) => void = () => undefined) {
    this.#limit = limit
    this.#evicted = evicted
  }

  get size(): number {
    return this.#items.size
  }

  /** The item of this name, made now if there is none. */
  get(name: string, make: () => T): T {
    const known = this.#items.get(name)
    // A map lists its entries in the order of their insertion: taken out and put back, it is the newest.
    if (known !== undefined) this.#items.delete(name)
    const item = known ?? make()
    this.#items.set(name, item)
    if (this.#items.size > this.#limit) this.#evictOldest()
    return item
  }

  clear(): void {
    for (const item of this.#items.values()) this.#evicted(item)
    this.#items.clear()
  }

  #evictOldest(): void {
    for (const [name, item] of this.#items) {
      this.#items.delete(name)
      this.#evicted(item)
      return
    }
  }
}
