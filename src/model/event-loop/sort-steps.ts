/** Items that are sorted, or merged, at once: a fraction of a millisecond. */
const ITEMS_PER_STEP = 256

/** Sorts a list step by step: 12,000 names at once would take 10 ms. */
export function* sortSteps<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<undefined, readonly T[]> {
  let runs: (readonly T[])[] = []
  for (let at = 0; at < items.length; at += ITEMS_PER_STEP) {
    runs.push(items.slice(at, at + ITEMS_PER_STEP).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const longer: (readonly T[])[] = []
    for (let at = 0; at < runs.length; at += 2)
      longer.push(yield* mergeSteps(runs[at] ?? [], runs[at + 1] ?? [], compare))
    runs = longer
  }
  return runs[0] ?? []
}

function* mergeSteps<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<undefined, readonly T[]> {
  if (b.length === 0) return a
  const merged: T[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const fromA = j >= b.length || (i < a.length && compare(a[i] as T, b[j] as T) <= 0)
    merged.push((fromA ? a[i++] : b[j++]) as T)
    if (merged.length % ITEMS_PER_STEP === 0) yield
  }
  return merged
}
