import { GraphNode } from './query.ts'

/**
 * Objects in the order of their keys. Lists come sorted from the API server, so that filling it appends; a later change
 * looks for its place instead of sorting thousands of objects again. What is removed leaves a gap until the list is read: a
 * namespace that is deleted takes thousands of objects with it.
 */
export class SortedObjects<T> extends GraphNode {
  #keys: string[] = []
  #values: T[] = []
  /** Keys that are still in the list, and whose objects are not. */
  readonly #removed = new Set<string>()
  /** Whether somebody has the list of values, which then stays as it is. */
  #isShared = false

  get isEmpty(): boolean {
    return this.#keys.length === this.#removed.size
  }

  get entries(): Iterable<readonly [string, T]> {
    this.#closeGaps()
    return this.#keys.map((key, index) => [key, this.#values[index] as T] as const)
  }

  get values(): readonly T[] {
    this.#closeGaps()
    this.#isShared = true
    return this.#values
  }

  /** Replaces, adds or removes an object. */
  change(key: string, object: T | undefined, revision: number): void {
    this.changedAt = revision
    const index = this.#indexOf(key)
    const isKnown = this.#keys[index] === key
    if (object === undefined) {
      if (isKnown) this.#removed.add(key)
      return
    }
    if (this.#isShared) this.#values = this.#values.slice()
    this.#isShared = false
    if (isKnown) {
      this.#values[index] = object
      this.#removed.delete(key)
    } else {
      this.#keys.splice(index, 0, key)
      this.#values.splice(index, 0, object)
    }
  }

  #closeGaps(): void {
    if (this.#removed.size === 0) return
    const isThere = this.#keys.map((key) => !this.#removed.has(key))
    this.#keys = this.#keys.filter((_, index) => isThere[index])
    this.#values = this.#values.filter((_, index) => isThere[index])
    this.#isShared = false
    this.#removed.clear()
  }

  /** Where a key is, or belongs. */
  #indexOf(key: string): number {
    let from = 0
    let to = this.#keys.length
    // The usual place is the end.
    if (to === 0 || (this.#keys[to - 1] as string) < key) return to
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#keys[middle] as string) < key) from = middle + 1
      else to = middle
    }
    return from
  }
}
