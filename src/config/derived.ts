import { sameItems } from '../model/resources/list-difference.ts'

/**
 * What is made of resources. It is taken over from the configuration before, and keeps its identity, where that made it
 * of the same inputs.
 */
export class Derived {
  #previous: Derived | undefined
  readonly #entries = new Map<string, Map<unknown, Entry>>()

  constructor(previous?: Derived) {
    this.#previous = previous
  }

  /**
   * @param kind What is made. The type of a kind is the responsibility of its only caller.
   * @param owner What it is made for: a resource or a key.
   * @param inputs Everything that it is made of, compared by identity.
   * @param make Gets the one before, of which it may take over what is still right.
   */
  of<T>(kind: string, owner: unknown, inputs: readonly unknown[], make: (before?: T) => T): T {
    const before = this.#previous && this.#previous.#entries.get(kind)?.get(owner)
    const entry =
      before && sameItems(before.inputs, inputs) ? before : { inputs, value: make(before?.value as T) }
    this.#entriesOf(kind).set(owner, entry)
    return entry.value as T
  }

  /** The same in steps, of inputs that `make` compares itself with those of the one before. */
  *steps<T>(
    kind: string,
    owner: unknown,
    make: (before: T | undefined) => Generator<undefined, T>,
  ): Generator<undefined, T> {
    const before = this.#previous && this.#previous.#entries.get(kind)?.get(owner)
    const value = yield* make(before?.value as T | undefined)
    this.#entriesOf(kind).set(owner, { inputs: [], value })
    return value
  }

  /** To be called at the end of a configuration, so that it does not keep the ones before. */
  seal(): void {
    this.#previous = undefined
  }

  #entriesOf(kind: string): Map<unknown, Entry> {
    const entries = this.#entries.get(kind) ?? new Map<unknown, Entry>()
    this.#entries.set(kind, entries)
    return entries
  }
}

interface Entry {
  readonly inputs: readonly unknown[]
  readonly value: unknown
}
