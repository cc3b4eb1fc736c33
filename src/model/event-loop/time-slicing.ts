import { nextTurn } from './next-turn.ts'

/** Time after which work for an admin caller yields to traffic. */
const sliceMs = 2

/** Text whose joining and encoding, after it was made, takes as long again. */
const sliceLength = 32_768

/**
 * Runs work step by step, yielding to the event loop every two milliseconds. A step is what the generator does until it
 * yields; it must take microseconds, or yield {@link sliceEnd} before and after. What it iterates may change between two steps.
 *
 * @returns What the generator returns.
 */
export const runInSlices = async <Result>(steps: Generator<unknown, Result>): Promise<Result> => {
  await nextTurn()
  let began = performance.now()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    if (step.value !== sliceEnd && performance.now() - began < sliceMs) continue
    await nextTurn()
    began = performance.now()
  }
}

/** Runs work step by step without yielding to the event loop. */
export const runAtOnce = <Result>(steps: Generator<unknown, Result>): Result => {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** Time after which long work that nobody waits for on a connection yields to traffic. */
const longSliceMs = 5

/** Steps between two looks at the clock, which takes as long as a small step. */
const stepsPerLook = 8

/**
 * Runs work step by step, beginning at once, and yielding to the event loop every five milliseconds: work that fits
 * into one slice costs no turn.
 *
 * @param signal Ends the work at the next slice: its reason is thrown into the generator, which may clean up.
 */
export const runInLongSlices = async <Result>(
  steps: Generator<unknown, Result>,
  signal?: AbortSignal,
): Promise<Result> => {
  let began = performance.now()
  let count = 0
  for (let step = steps.next(); ;) {
    if (step.done) return step.value
    if (++count % stepsPerLook === 0 && performance.now() - began >= longSliceMs) {
      await nextTurn()
      began = performance.now()
    }
    step = signal?.aborted ? steps.throw(signal.reason) : steps.next()
  }
}

/** Yielded to end a slice early: the next step gets one of its own. */
export const sliceEnd = 'slice end'

/**
 * Collects `parts` into lists, yielding to the event loop every two milliseconds. Each list is made in a turn of its
 * own, also among several callers.
 *
 * @param lengthOf The length of a part that is to be written: a list ends after 32 KiB.
 */
export async function* slicesOf<T>(
  parts: Iterable<T>,
  lengthOf: (part: T) => number = () => 0,
): AsyncGenerator<readonly T[], void, undefined> {
  await nextTurn()
  let slice: T[] = []
  let length = 0
  let began = performance.now()
  for (const part of parts) {
    slice.push(part)
    length += lengthOf(part)
    if (length < sliceLength && performance.now() - began < sliceMs) continue
    yield slice
    slice = []
    length = 0
    await nextTurn()
    began = performance.now()
  }
  if (slice.length > 0) yield slice
}

/**
 * Joins the output of `parts` into pieces, as {@link slicesOf} makes them.
 *
 * @example
 * for await (const text of inSlices(lines())) res.write(text)
 */
export async function* inSlices(parts: Iterable<string>): AsyncGenerator<string, void, undefined> {
  for await (const slice of slicesOf(parts, ({ length }) => length)) yield slice.join('')
}

/** Calls `each` for all items, yielding to the event loop every two milliseconds. */
export const forEachInSlices = async <T>(items: Iterable<T>, each: (item: T) => void): Promise<void> => {
  await nextTurn()
  let began = performance.now()
  for (const item of items) {
    each(item)
    if (performance.now() - began < sliceMs) continue
    await nextTurn()
    began = performance.now()
  }
}
