import { runInLongSlices } from './time-slicing.ts'

/**
 * Runs long work in slices, each work after the one before: what changes something in several slices is never seen half
 * done by another one.
 */
export class SerialSteps {
  readonly #runInSlices: typeof runInLongSlices
  #last: Promise<unknown> = Promise.resolve()

  constructor(runSteps: typeof runInLongSlices = runInLongSlices) {
    this.#runInSlices = runSteps
  }

  run<Result>(steps: () => Generator<unknown, Result>): Promise<Result> {
    const run = this.#runInSlices
    const result = this.#last.then(() => run(steps()))
    this.#last = result.catch(() => undefined)
    return result
  }
}
