import { sameItems } from '../model/resources/resource-index.ts'

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
    return this.each<T>(kind)(owner, inputs, make)
  }

  /** The same for many of one kind. */
  each<T>(kind: string): (owner: unknown, inputs: readonly unknown[], make: (before?: T) => T) => T {
    const entries = this.#entries.get(kind) ?? new Map<unknown, Entry>()
    this.#entries.set(kind, entries)
    const previous = this.#previous && this.#previous.#entries.get(kind)
    return (owner, inputs, make) => {
      const before = previous?.get(owner)
      const entry =
        before && sameItems(before.inputs, inputs) ? before : { inputs, value: make(before?.value as T) }
      entries.set(owner, entry)
      return entry.value as T
    }
  }

  /** To be called at the end of a configuration, so that it does not keep the ones before. */
  seal(): void {
    this.#previous = undefined
  }
}

interface Entry {
  readonly inputs: readonly unknown[]
  readonly value: unknown
}
