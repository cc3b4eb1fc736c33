import type { Change } from './fixture-request.ts'

/** Who wants to know that something of the fixture changed. */
export class Hub {
  readonly #listeners = new Set<(change: Change) => void>()

  /** The function given back ends it. */
  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly changed = (change: Change): void => {
    for (const listener of this.#listeners) listener(change)
  }
}
