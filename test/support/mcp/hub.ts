import type { Change } from './fixture-request.ts'

/** Subscribers to changes of the fixture. */
export class Hub {
  readonly #listeners = new Set<(change: Change) => void>()

  /** The returned function ends the subscription. */
  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly changed = (change: Change): void => {
    for (const listener of this.#listeners) listener(change)
  }
}
