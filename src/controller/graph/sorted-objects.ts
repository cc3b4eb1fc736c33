import { GraphNode } from './query.ts'

/**
 * Objects in the order of their keys. Lists come sorted from the API server, so that filling it appends; a later change
 * looks for its place instead of sorting thousands of objects again.
 */
export class SortedObjects<T> extends GraphNode {
  readonly #keys: string[] = []
  #values: T[] = []
  /** Whether somebody has the list of values, which then stays as it is. */
  #isShared = false

  get isEmpty(): boolean {
    return this.#keys.length === 0
  }

  get entries(): Iterable<readonly [string, T]> {
    return this.#keys.map((key, index) => [key, this.#values[index] as T] as const)
  }

  get values(): readonly T[] {
    this.#isShared = true
    return this.#values
  }

  /** Replaces, adds or removes an object. */
  change(key: string, object: T | undefined, revision: number): void {
    this.changedAt = revision
    if (this.#isShared) this.#values = this.#values.slice()
    this.#isShared = false
    const index = this.#indexOf(key)
    const isKnown = this.#keys[index] === key
    if (object === undefined) {
      if (!isKnown) return
      this.#keys.splice(index, 1)
      this.#values.splice(index, 1)
    } else if (isKnown) this.#values[index] = object
    else {
      this.#keys.splice(index, 0, key)
      this.#values.splice(index, 0, object)
    }
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
