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
   */
  of<T>(kind: string, owner: unknown, inputs: readonly unknown[], make: () => T): T {
    const before = this.#previous && this.#previous.#entries.get(kind)?.get(owner)
    const entry = before && sameItems(before.inputs, inputs) ? before : { inputs, value: make() }
    const entries = this.#entries.get(kind)
    if (entries) entries.set(owner, entry)
    else this.#entries.set(kind, new Map([[owner, entry]]))
    return entry.value as T
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
