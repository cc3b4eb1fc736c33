/** Callouts of one check that run at the same time. */
const CONCURRENCY = 4

/**
 * Checks items, several at a time, until there is a result or a check fails.
 *
 * @param check Resolves to undefined if there is no finding.
 */
export const firstFinding = <T, F>(
  items: readonly T[],
  check: (item: T) => Promise<F | undefined>,
): Promise<F | undefined> =>
  new Promise((resolve, reject) => {
    const rest = items.values()
    const worker = async (): Promise<void> => {
      // The iterator is shared: each item is taken once.
      for (const item of rest) {
        const found = await check(item)
        if (found === undefined) continue
        resolve(found)
        return
      }
    }
    Promise.all(Array.from({ length: CONCURRENCY }, worker)).then(() => {
      resolve(undefined)
    }, reject)
  })
