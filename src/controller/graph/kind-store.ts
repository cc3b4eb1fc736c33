import type { InputKind, Inputs } from '../kinds/inputs.ts'
import type { Index } from './object-index.ts'
import type { Cell } from './query.ts'

/** The objects of a kind and its indexes, with the revisions of their changes. */
export class KindStore<K extends InputKind> {
  readonly kind: K
  readonly all = new ObjectSet<Inputs[K]>()
  readonly #objects = new Map<string, ObjectCell<Inputs[K]>>()
  readonly #indexes = new Map<Index<K>, Map<string, ObjectSet<Inputs[K]>>>()

  constructor(kind: K) {
    this.kind = kind
  }

  get changedAt(): number {
    return this.all.changedAt
  }

  /** Replaces, adds or removes an object. */
  change(key: string, object: Inputs[K] | undefined, revision: number): void {
    const cell = this.object(key)
    const before = cell.value
    if (before === object) return
    cell.change(object, revision)
    this.all.change(key, object, revision)
    for (const [index, sets] of this.#indexes) {
      const now = new Set(object ? index.valuesOf(object) : [])
      for (const value of before ? index.valuesOf(before) : [])
        if (!now.has(value)) setOf(sets, value).change(key, undefined, revision)
      for (const value of now) setOf(sets, value).change(key, object, revision)
    }
  }

  /** An object that is there, or may come. */
  object(key: string): ObjectCell<Inputs[K]> {
    let cell = this.#objects.get(key)
    if (!cell) this.#objects.set(key, (cell = new ObjectCell<Inputs[K]>()))
    return cell
  }

  /** Removes objects that are not there and values of indexes without objects, unless something depends on them. */
  sweep(used: ReadonlySet<Cell>): void {
    for (const [key, cell] of this.#objects)
      if (cell.value === undefined && !used.has(cell)) this.#objects.delete(key)
    for (const sets of this.#indexes.values())
      for (const [value, set] of sets) if (set.isEmpty && !used.has(set)) sets.delete(value)
  }

  /** The objects of an index under a value. */
  indexed(index: Index<K>, value: string): ObjectSet<Inputs[K]> {
    let sets = this.#indexes.get(index)
    if (!sets) {
      sets = new Map()
      this.#indexes.set(index, sets)
      for (const [key, object] of this.all.entries)
        for (const one of new Set(index.valuesOf(object)))
          setOf(sets, one).change(key, object, this.changedAt)
    }
    return setOf(sets, value)
  }
}

/** A set of objects, in the order of their keys. */
class ObjectSet<T> implements Cell {
  readonly #objects = new Map<string, T>()
  #sorted: readonly T[] | undefined = undefined
  changedAt = 0

  get isEmpty(): boolean {
    return this.#objects.size === 0
  }

  get entries(): Iterable<readonly [string, T]> {
    return this.#objects
  }

  get values(): readonly T[] {
    return (this.#sorted ??= [...this.#objects]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object))
  }

  change(key: string, object: T | undefined, revision: number): void {
    if (object === undefined) this.#objects.delete(key)
    else this.#objects.set(key, object)
    this.#sorted = undefined
    this.changedAt = revision
  }
}

class ObjectCell<T> implements Cell {
  value: T | undefined = undefined
  changedAt = 0

  change(value: T | undefined, revision: number): void {
    this.value = value
    this.changedAt = revision
  }
}

const setOf = <T>(sets: Map<string, ObjectSet<T>>, value: string): ObjectSet<T> => {
  let set = sets.get(value)
  if (!set) sets.set(value, (set = new ObjectSet<T>()))
  return set
}
