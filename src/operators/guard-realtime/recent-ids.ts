/** The names that were added last. */
export class RecentIds {
  readonly #ids = new Set<string>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  add(id: string): void {
    this.#ids.add(id)
    if (this.#ids.size <= this.#limit) return
    const { value } = this.#ids.values().next()
    if (value !== undefined) this.#ids.delete(value)
  }

  has(id: string | undefined): boolean {
    return id !== undefined && this.#ids.has(id)
  }
}
