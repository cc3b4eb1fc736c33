import { isDeepStrictEqual } from 'node:util'
import type { InputKind, Inputs, TranslationSettings } from '../kinds/inputs.ts'
import type { Index } from './object-index.ts'

/** What a computation may read. Everything that it reads becomes a dependency of its value. */
export interface GraphReads {
  /** The same for the life of the control plane. */
  readonly settings: TranslationSettings
  /** An object by its key: `namespace/name`, or `name` in the cluster scope. */
  object<K extends InputKind>(kind: K, key: string): Inputs[K] | undefined
  /** All objects of a kind, in the order of their keys. Prefer an index: any change of the kind changes this. */
  objects<K extends InputKind>(kind: K): readonly Inputs[K][]
  /** The objects that an index has under a value, in the order of their keys. */
  indexed<K extends InputKind>(index: Index<K>, value: string): readonly Inputs[K][]
  /** Another computed value. Throws what its computation throws. */
  query<Value>(query: Query<Value>, key: string): Value
  /** Another computed value; undefined if its computation throws, so that one object does not stop all others. */
  tryQuery<Value>(query: Query<Value>, key: string): Value | undefined
  /** Whether a computation throws. */
  hasFailed<Value>(query: Query<Value>, key: string): boolean
}

/** A pure computation by key. */
export interface Query<Value> {
  readonly name: string
  readonly compute: (reads: GraphReads, key: string) => Value
}

/**
 * Defines a computation whose values are kept. Values are compared by their contents, so they should be data.
 *
 * @example
 * const listenerCount = defineQuery('listenerCount', (reads, key) => reads.object('Gateway', key)?.spec.listeners?.length ?? 0)
 */
export const defineQuery = <Value>(
  name: string,
  compute: (reads: GraphReads, key: string) => Value,
): Query<Value> => ({ name, compute })

/** Something that can be read, with the revision of its last change. */
export interface Cell {
  readonly changedAt: number
}

/** Makes the reads of a computation, which records what is read: the store of an object, or a computed value. */
type ReadsFor = (record: RecordRead) => GraphReads

/** Records a dependency, with its store if it is not a computed value. */
export type RecordRead = (cell: Cell, store?: Cell) => void

/** A kept value, and what it was computed from. */
export class QueryCell<Value> implements Cell {
  readonly #query: Query<Value>
  readonly #key: string
  #state: { readonly value: Value } | { readonly error: unknown } | undefined = undefined
  #dependencies: readonly Cell[] = []
  #isComputing = false
  /** The stores of the objects that it has read itself. */
  #readStores: ReadonlySet<Cell> = new Set()
  /** The stores of all objects that it depends on, directly or not. */
  #stores: ReadonlySet<Cell> = new Set()
  changedAt = 0
  verifiedAt = 0
  /** When it was last read from outside of the graph. */
  readAt = 0

  constructor(query: Query<Value>, key: string) {
    this.#query = query
    this.#key = key
  }

  get dependencies(): readonly Cell[] {
    return this.#dependencies
  }

  /** Throws what the computation has thrown. */
  get value(): Value {
    if (!this.#state) throw new Error(`${this.#query.name} of ${this.#key} was not computed`)
    if ('error' in this.#state) throw this.#state.error
    return this.#state.value
  }

  /** What the computation has thrown, if it has. */
  get error(): unknown {
    return this.#state && 'error' in this.#state ? this.#state.error : undefined
  }

  /** Makes the value that of a revision. */
  refresh(revision: number, reads: ReadsFor): void {
    if (this.verifiedAt === revision) return
    if (this.#isComputing) throw new Error(`${this.#query.name} of ${this.#key} depends on itself`)
    this.#isComputing = true
    try {
      if (!this.#state || this.#isStale(revision, reads)) this.#compute(revision, reads)
      this.verifiedAt = revision
    } finally {
      this.#isComputing = false
    }
  }

  #isStale(revision: number, reads: ReadsFor): boolean {
    // Most changes are of kinds that a value does not depend on.
    if (!this.#hasChangedStore()) return false
    for (const cell of this.#dependencies) {
      if (cell instanceof QueryCell) cell.refresh(revision, reads)
      if (cell.changedAt > this.verifiedAt) return true
    }
    // A value that was computed again and is the same may depend on other kinds than before.
    this.#joinStores()
    return false
  }

  /** A loop, since thousands of values look at their stores after each change. */
  #hasChangedStore(): boolean {
    for (const store of this.#stores) if (store.changedAt > this.verifiedAt) return true
    return false
  }

  #compute(revision: number, reads: ReadsFor): void {
    const dependencies = new Set<Cell>()
    const readStores = new Set<Cell>()
    const state = this.#outcome(
      reads((cell, store) => {
        dependencies.add(cell)
        if (store) readStores.add(store)
      }),
    )
    this.#dependencies = [...dependencies]
    this.#readStores = readStores
    this.#joinStores()
    const before = this.#state
    const isSame =
      before && 'value' in before && 'value' in state && isDeepStrictEqual(before.value, state.value)
    if (isSame) return
    this.#state = state
    this.changedAt = revision
  }

  /** An error is kept like a value: the computation is tried again when something that it read has changed. */
  #outcome(reads: GraphReads): { readonly value: Value } | { readonly error: unknown } {
    try {
      return { value: this.#query.compute(reads, this.#key) }
    } catch (error) {
      return { error }
    }
  }

  #joinStores(): void {
    const stores = new Set(this.#readStores)
    for (const cell of this.#dependencies)
      if (cell instanceof QueryCell) for (const store of cell.#stores) stores.add(store)
    this.#stores = stores
  }
}
