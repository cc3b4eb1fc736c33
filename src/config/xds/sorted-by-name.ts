/** What has a name from now on; undefined if nothing has it any more. */
export interface NamedChange<T> {
  readonly name: string
  readonly after: T | undefined
}

/** Values in the order of their names. Changes make other lists; what is unchanged is the same. */
export class SortedByName<T> {
  #names: readonly string[] = []
  #values: readonly T[] = []

  get values(): readonly T[] {
    return this.#values
  }

  /**
   * Applies changes, one a step, and shows them with the last step. They are searched for, and what is between them is
   * copied: one of 10,000 values costs 50 µs.
   *
   * @param changes In the order of the names, each of which occurs once.
   */
  *update(changes: readonly NamedChange<T>[]): Generator<undefined, void> {
    const names: string[] = []
    const values: T[] = []
    let from = 0
    const copy = (end: number): void => {
      for (; from < end; from++) {
        names.push(this.#names[from] as string)
        values.push(this.#values[from] as T)
      }
    }
    for (const { name, after } of changes) {
      const at = this.#positionOf(name, from)
      copy(at)
      if (after !== undefined) {
        names.push(name)
        values.push(after)
      }
      if (this.#names[at] === name) from = at + 1
      yield
    }
    copy(this.#names.length)
    this.#names = names
    this.#values = values
  }

  /** The position of the first name that does not precede this one. */
  #positionOf(name: string, from: number): number {
    let [low, high] = [from, this.#names.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#names[middle] ?? '') < name) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** By code units, whatever the locale. */
export const compareNames = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0
