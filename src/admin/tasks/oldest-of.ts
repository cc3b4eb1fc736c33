/** Keeps the oldest of many things, however many there are. */
export class OldestOf<Thing> {
  readonly #limit: number
  #kept: { readonly startedAt: number; readonly thing: Thing }[] = []
  #total = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(startedAt: number, thing: Thing): void {
    this.#total++
    this.#kept.push({ startedAt, thing })
    if (this.#kept.length >= this.#limit * 2) this.#trim()
  }

  /** How many were added. */
  get total(): number {
    return this.#total
  }

  /** The oldest, in order of their start. */
  take(): Thing[] {
    this.#trim()
    return this.#kept.map(({ thing }) => thing)
  }

  #trim(): void {
    this.#kept.sort((a, b) => a.startedAt - b.startedAt)
    this.#kept.length = Math.min(this.#kept.length, this.#limit)
  }
}
