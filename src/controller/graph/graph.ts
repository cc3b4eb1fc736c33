import type { InputKind, Inputs, TranslationSettings } from '../kinds/inputs.ts'
import { KindStore } from './kind-store.ts'
import type { Index } from './object-index.ts'
import { type GraphNode, type GraphReads, type Query, QueryNode, type Revisions } from './query.ts'

/**
 * Objects, and values computed from them. A value is computed again only when an object that it read has changed, or a
 * value that it read has become another one; all others are kept.
 *
 * Pull-based: changes cost nothing but the change, until a value is read.
 */
export class Graph {
  readonly #stores = new Map<InputKind, KindStore<InputKind>>()
  readonly #nodes = new Map<Query<unknown>, Map<string, QueryNode<unknown>>>()
  readonly #sources: Sources
  readonly #revisions: Revisions
  #revision = 1
  #objects = 0
  /** Objects that were removed since values were. */
  #removedObjects = 0
  /** The last result of `#changedSince`: most values were verified at the same revision before. */
  #lastChanges = { since: 0, at: 0, stores: 0 }

  constructor(settings: TranslationSettings) {
    this.#sources = {
      settings,
      store: (kind) => this.#store(kind),
      current: (query, key) => this.#current(query, key),
    }
    const currentRevision = () => this.#revision
    this.#revisions = {
      get revision() {
        return currentRevision()
      },
      changedSince: (revision) => this.#changedSince(revision),
      readsFor: (reader) => new NodeReads(reader, this.#sources),
    }
  }

  /** Number of changes so far. */
  get revision(): number {
    return this.#revision
  }

  /** Number of computed values that are kept. */
  get size(): number {
    return [...this.#nodes.values()].reduce((sum, nodes) => sum + nodes.size, 0)
  }

  /** Whether as many objects were removed as there are: most of the values are not needed any more. */
  get isMostlyUnused(): boolean {
    return this.#removedObjects > 0 && this.#removedObjects >= this.#objects
  }

  /** Adds or replaces an object. */
  set<K extends InputKind>(kind: K, key: string, object: Inputs[K]): void {
    this.#change(kind, key, object)
  }

  /** Removes an object. */
  delete(kind: InputKind, key: string): void {
    this.#change(kind, key, undefined)
  }

  /** The value of a query, from the cache if nothing that it read has changed. */
  read<Value>(query: Query<Value>, key: string): Value {
    const node = this.#current(query, key)
    node.readAt = this.#revision
    return node.value
  }

  /** The objects of a kind, in the order of their keys. */
  objects<K extends InputKind>(kind: K): readonly Inputs[K][] {
    return this.#store(kind).all.values
  }

  /**
   * Removes the values that are not needed any more: those that were not read in this revision, neither directly nor
   * by a value that was.
   */
  sweep(): void {
    const used = new Set<GraphNode>()
    const pending: GraphNode[] = []
    for (const nodes of this.#nodes.values())
      for (const node of nodes.values()) if (node.readAt === this.#revision) pending.push(node)
    for (let node = pending.pop(); node; node = pending.pop()) {
      if (used.has(node)) continue
      used.add(node)
      if (node instanceof QueryNode) for (const one of node.dependencies) pending.push(one)
    }
    for (const nodes of this.#nodes.values())
      for (const [key, node] of nodes) if (!used.has(node)) nodes.delete(key)
    for (const store of this.#stores.values()) store.sweep(used)
    this.#removedObjects = 0
  }

  #change(kind: InputKind, key: string, object: Inputs[InputKind] | undefined): void {
    const store = this.#store(kind)
    const wasThere = store.object(key).value !== undefined
    if (object) this.#objects += wasThere ? 0 : 1
    else if (wasThere) {
      this.#objects--
      this.#removedObjects++
    }
    store.change(key, object, ++this.#revision)
  }

  #store<K extends InputKind>(kind: K): KindStore<K> {
    let store = this.#stores.get(kind)
    if (!store) {
      if (this.#stores.size >= MAX_STORES) throw new Error(`a graph has at most ${MAX_STORES} kinds`)
      this.#stores.set(kind, (store = new KindStore<InputKind>(1 << this.#stores.size)))
    }
    return store as unknown as KindStore<K>
  }

  #node<Value>(query: Query<Value>, key: string): QueryNode<Value> {
    let nodes = this.#nodes.get(query)
    if (!nodes) {
      nodes = new Map<string, QueryNode<unknown>>()
      this.#nodes.set(query, nodes)
    }
    let node = nodes.get(key)
    if (!node) {
      node = new QueryNode<unknown>(query, key)
      nodes.set(key, node)
    }
    return node as QueryNode<Value>
  }

  #current<Value>(query: Query<Value>, key: string): QueryNode<Value> {
    const node = this.#node(query, key)
    node.refresh(this.#revisions)
    return node
  }

  #changedSince(since: number): number {
    const last = this.#lastChanges
    if (last.at === this.#revision && last.since === since) return last.stores
    let stores = 0
    for (const store of this.#stores.values()) if (store.changedAt > since) stores |= store.bit
    this.#lastChanges = { since, at: this.#revision, stores }
    return stores
  }
}

/** The bits of a small integer. */
const MAX_STORES = 30

/** What computations read from. */
interface Sources {
  readonly settings: TranslationSettings
  store<K extends InputKind>(kind: K): KindStore<K>
  current<Value>(query: Query<Value>, key: string): QueryNode<Value>
}

/** What one computation reads. */
class NodeReads implements GraphReads {
  readonly settings: TranslationSettings
  readonly #reader: QueryNode<unknown>
  readonly #sources: Sources

  constructor(reader: QueryNode<unknown>, sources: Sources) {
    this.settings = sources.settings
    this.#reader = reader
    this.#sources = sources
  }

  object<K extends InputKind>(kind: K, key: string): Inputs[K] | undefined {
    const store = this.#sources.store(kind)
    const node = store.object(key)
    this.#reader.record(node, store.bit)
    return node.value
  }

  objects<K extends InputKind>(kind: K): readonly Inputs[K][] {
    const store = this.#sources.store(kind)
    this.#reader.record(store.all, store.bit)
    return store.all.values
  }

  indexed<K extends InputKind>(index: Index<K>, value: string): readonly Inputs[K][] {
    const store = this.#sources.store(index.kind)
    const set = store.indexed(index, value)
    this.#reader.record(set, store.bit)
    return set.values
  }

  query<Value>(query: Query<Value>, key: string): Value {
    return this.#read(query, key).value
  }

  tryQuery<Value>(query: Query<Value>, key: string): Value | undefined {
    const node = this.#read(query, key)
    return node.hasFailed ? undefined : node.value
  }

  hasFailed<Value>(query: Query<Value>, key: string): boolean {
    return this.#read(query, key).hasFailed
  }

  #read<Value>(query: Query<Value>, key: string): QueryNode<Value> {
    const node = this.#sources.current(query, key)
    this.#reader.record(node)
    return node
  }
}
