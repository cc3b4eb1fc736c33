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
export abstract class GraphNode {
  changedAt = 0
  /** The computation that has read it last, while that lasts: reading it again adds no dependency. */
  readBy: QueryNode<unknown> | undefined = undefined
}

/** What a value needs to be made that of the present revision. */
export interface Revisions {
  readonly revision: number
  /** The stores that have changed since a revision, a bit each. */
  changedSince(revision: number): number
  /** What a computation reads from. */
  readsFor(reader: QueryNode<unknown>): GraphReads
}

/** A kept value, and what it was computed from. There are tens of thousands: it has few objects of its own. */
export class QueryNode<Value> extends GraphNode {
  readonly #query: Query<Value>
  readonly #key: string
  #outcome: 'none' | 'value' | 'error' = 'none'
  /** The value or the error. */
  #result: unknown = undefined
  #dependencies: GraphNode[] = []
  #isComputing = false
  /** The stores of the objects that it has read itself, a bit each. */
  #readStores = 0
  /** The stores of all objects that it depends on, directly or not. */
  #stores = 0
  verifiedAt = 0
  /** When it was last read from outside of the graph. */
  readAt = 0

  constructor(query: Query<Value>, key: string) {
    super()
    this.#query = query
    this.#key = key
  }

  get dependencies(): readonly GraphNode[] {
    return this.#dependencies
  }

  /** Throws what the computation has thrown. */
  get value(): Value {
    if (this.#outcome === 'value') return this.#result as Value
    if (this.#outcome === 'error') throw this.#result
    throw new Error(`${this.#query.name} of ${this.#key} was not computed`)
  }

  /** Whether the computation has thrown. */
  get hasFailed(): boolean {
    return this.#outcome === 'error'
  }

  /** Adds what its computation reads; a store has a bit. */
  record(node: GraphNode, store = 0): void {
    this.#readStores |= store
    if (node.readBy === this) return
    node.readBy = this
    this.#dependencies.push(node)
  }

  /** Makes the value that of the present revision. */
  refresh(revisions: Revisions): void {
    const { revision } = revisions
    if (this.verifiedAt === revision) return
    if (this.#isComputing) throw new Error(`${this.#query.name} of ${this.#key} depends on itself`)
    this.#isComputing = true
    try {
      if (this.#outcome === 'none' || this.#isStale(revisions)) this.#compute(revisions)
      this.verifiedAt = revision
    } finally {
      this.#isComputing = false
    }
  }

  #isStale(revisions: Revisions): boolean {
    // Most changes are of kinds that a value does not depend on.
    if ((this.#stores & revisions.changedSince(this.verifiedAt)) === 0) return false
    for (const node of this.#dependencies) {
      if (node instanceof QueryNode) node.refresh(revisions)
      if (node.changedAt > this.verifiedAt) return true
    }
    // A value that was computed again and is the same may depend on other kinds than before.
    this.#joinStores()
    return false
  }

  #compute(revisions: Revisions): void {
    this.#dependencies = []
    this.#readStores = 0
    const [outcome, result] = this.#computed(revisions.readsFor(this))
    for (const node of this.#dependencies) node.readBy = undefined
    // Without the room that the list has grown by.
    this.#dependencies = this.#dependencies.slice()
    this.#joinStores()
    const kept = outcome === 'value' && this.#outcome === 'value' ? keepEqual(this.#result, result) : result
    if (kept === this.#result && outcome === this.#outcome) return
    this.#outcome = outcome
    this.#result = kept
    this.changedAt = revisions.revision
  }

  /** An error is kept like a value: the computation is tried again when something that it read has changed. */
  #computed(reads: GraphReads): readonly ['value' | 'error', unknown] {
    try {
      return ['value', this.#query.compute(reads, this.#key)]
    } catch (error) {
      return ['error', error]
    }
  }

  #joinStores(): void {
    let stores = this.#readStores
    for (const node of this.#dependencies) if (node instanceof QueryNode) stores |= node.#stores
    this.#stores = stores
  }
}

/**
 * The value before if it equals the new one. Of a list that differs, elements that equal those before at their position
 * are those: whoever compares by identity sees what has changed.
 */
const keepEqual = (before: unknown, now: unknown): unknown => {
  if (!Array.isArray(before) || !Array.isArray(now)) return isDeepStrictEqual(before, now) ? before : now
  const [known, list] = [before as readonly unknown[], now as readonly unknown[]]
  let kept: unknown[] | undefined
  let isSame = known.length === list.length
  for (let index = 0; index < list.length; index++) {
    if (list[index] === known[index]) continue
    if (index < known.length && isDeepStrictEqual(known[index], list[index])) {
      // The list may belong to another value.
      kept ??= list.slice()
      kept[index] = known[index]
    } else isSame = false
  }
  return isSame ? before : (kept ?? now)
}
