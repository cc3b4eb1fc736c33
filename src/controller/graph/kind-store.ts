import type { InputKind, Inputs } from '../kinds/inputs.ts'
import { type Index, indexValues } from './object-index.ts'
import { GraphNode } from './query.ts'
import { SortedObjects } from './sorted-objects.ts'

/** The objects of a kind and its indexes, with the revisions of their changes. */
export class KindStore<K extends InputKind> {
  /** Stands for this store in sets of stores. */
  readonly bit: number
  readonly all = new SortedObjects<Inputs[K]>()
  readonly #objects = new Map<string, ObjectNode<Inputs[K]>>()
  readonly #indexes = new Map<Index<K>, Map<string, SortedObjects<Inputs[K]>>>()

  constructor(bit: number) {
    this.bit = bit
  }

  get changedAt(): number {
    return this.all.changedAt
  }

  /** Replaces, adds or removes an object. */
  change(key: string, object: Inputs[K] | undefined, revision: number): void {
    const node = this.object(key)
    const before = node.value
    if (before === object) return
    node.change(object, revision)
    this.all.change(key, object, revision)
    for (const [index, sets] of this.#indexes) {
      const now = new Set(object ? indexValues(index, object) : [])
      for (const value of before ? indexValues(index, before) : [])
        if (!now.has(value)) setOf(sets, value).change(key, undefined, revision)
      for (const value of now) setOf(sets, value).change(key, object, revision)
    }
  }

  /** An object that is there, or may come. */
  object(key: string): ObjectNode<Inputs[K]> {
    let node = this.#objects.get(key)
    if (!node) this.#objects.set(key, (node = new ObjectNode<Inputs[K]>()))
    return node
  }

  /** Removes objects that are not there and values of indexes without objects, unless something depends on them. */
  sweep(used: ReadonlySet<GraphNode>): void {
    for (const [key, node] of this.#objects)
      if (node.value === undefined && !used.has(node)) this.#objects.delete(key)
    for (const sets of this.#indexes.values())
      for (const [value, set] of sets) if (set.isEmpty && !used.has(set)) sets.delete(value)
  }

  /** The objects of an index under a value. */
  indexed(index: Index<K>, value: string): SortedObjects<Inputs[K]> {
    let sets = this.#indexes.get(index)
    if (!sets) {
      sets = new Map()
      this.#indexes.set(index, sets)
      for (const [key, object] of this.all.entries)
        for (const one of new Set(indexValues(index, object)))
          setOf(sets, one).change(key, object, this.changedAt)
    }
    return setOf(sets, value)
  }
}

class ObjectNode<T> extends GraphNode {
  value: T | undefined = undefined

  change(value: T | undefined, revision: number): void {
    this.value = value
    this.changedAt = revision
  }
}

const setOf = <T>(sets: Map<string, SortedObjects<T>>, value: string): SortedObjects<T> => {
  let set = sets.get(value)
  if (!set) sets.set(value, (set = new SortedObjects<T>()))
  return set
}
