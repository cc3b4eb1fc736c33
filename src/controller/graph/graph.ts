import type { InputKind, Inputs, TranslationSettings } from '../kinds/inputs.ts'
import { KindStore } from './kind-store.ts'
import type { Index } from './object-index.ts'
import { type Cell, type GraphReads, type Query, QueryCell, type RecordRead } from './query.ts'

/**
 * Objects, and values computed from them. A value is computed again only when an object that it read has changed, or a
 * value that it read has become another one; all others are kept.
 *
 * Pull-based: changes cost nothing but the change, until a value is read.
 */
export class Graph {
  readonly #stores = new Map<InputKind, KindStore<InputKind>>()
  readonly #cells = new Map<Query<unknown>, Map<string, QueryCell<unknown>>>()
  readonly #settings: TranslationSettings
  #revision = 1

  constructor(settings: TranslationSettings) {
    this.#settings = settings
  }

  /** Number of changes so far. */
  get revision(): number {
    return this.#revision
  }

  /** Number of computed values that are kept. */
  get size(): number {
    return [...this.#cells.values()].reduce((sum, cells) => sum + cells.size, 0)
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
    const cell = this.#current(query, key)
    cell.readAt = this.#revision
    return cell.value
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
    const used = new Set<Cell>()
    const pending: Cell[] = []
    for (const cells of this.#cells.values())
      for (const cell of cells.values()) if (cell.readAt === this.#revision) pending.push(cell)
    for (let cell = pending.pop(); cell; cell = pending.pop()) {
      if (used.has(cell)) continue
      used.add(cell)
      if (cell instanceof QueryCell) pending.push(...cell.dependencies)
    }
    for (const cells of this.#cells.values())
      for (const [key, cell] of cells) if (!used.has(cell)) cells.delete(key)
    for (const store of this.#stores.values()) store.sweep(used)
  }

  #change(kind: InputKind, key: string, object: Inputs[InputKind] | undefined): void {
    this.#store(kind).change(key, object, ++this.#revision)
  }

  #store<K extends InputKind>(kind: K): KindStore<K> {
    let store = this.#stores.get(kind)
    if (!store) this.#stores.set(kind, (store = new KindStore<InputKind>(kind)))
    return store as unknown as KindStore<K>
  }

  #cell<Value>(query: Query<Value>, key: string): QueryCell<Value> {
    let cells = this.#cells.get(query)
    if (!cells) {
      cells = new Map<string, QueryCell<unknown>>()
      this.#cells.set(query, cells)
    }
    let cell = cells.get(key)
    if (!cell) {
      cell = new QueryCell<unknown>(query, key)
      cells.set(key, cell)
    }
    return cell as QueryCell<Value>
  }

  #current<Value>(query: Query<Value>, key: string): QueryCell<Value> {
    const cell = this.#cell(query, key)
    cell.refresh(this.#revision, (record) => this.#reads(record))
    return cell
  }

  #reads(record: RecordRead): GraphReads {
    const readStore = <K extends InputKind>(store: KindStore<K>, cell: Cell) => {
      record(cell, store)
    }
    return {
      settings: this.#settings,
      object: (kind, key) => {
        const store = this.#store(kind)
        const cell = store.object(key)
        readStore(store, cell)
        return cell.value
      },
      objects: (kind) => {
        const store = this.#store(kind)
        readStore(store, store.all)
        return store.all.values
      },
      indexed: <K extends InputKind>(index: Index<K>, value: string) => {
        const store = this.#store(index.kind)
        const cell = store.indexed(index, value)
        readStore(store, cell)
        return cell.values
      },
      query: (query, key) => {
        const cell = this.#current(query, key)
        record(cell)
        return cell.value
      },
      tryQuery: (query, key) => {
        const cell = this.#current(query, key)
        record(cell)
        return cell.error === undefined ? cell.value : undefined
      },
      hasFailed: (query, key) => {
        const cell = this.#current(query, key)
        record(cell)
        return cell.error !== undefined
      },
    }
  }
}
