import { runInLongSlices } from './time-slicing.ts'

/**
 * Runs long work in slices, each work after the one before: what changes something in several slices is never seen half
 * done by another one.
 */
export class SerialSteps {
  #last: Promise<unknown> = Promise.resolve()

  run<Result>(steps: () => Generator<unknown, Result>): Promise<Result> {
    const result = this.#last.then(() => runInLongSlices(steps()))
    this.#last = result.catch(() => undefined)
    return result
  }
}
