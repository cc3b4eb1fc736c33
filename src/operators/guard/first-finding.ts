/** So many questions of one check are under way at a time. */
const AT_ONCE = 4

/**
 * Looks at one thing after the other, some at a time, until something is found or a look fails.
 *
 * @param look Gives undefined if there is nothing to be found.
 */
export const firstFinding = <T, F>(
  things: readonly T[],
  look: (thing: T) => Promise<F | undefined>,
): Promise<F | undefined> =>
  new Promise((resolve, reject) => {
    const rest = things.values()
    const looking = async (): Promise<void> => {
      // An iterator that is shared gives each of them to one only.
      for (const thing of rest) {
        const found = await look(thing)
        if (found === undefined) continue
        resolve(found)
        return
      }
    }
    Promise.all(Array.from({ length: AT_ONCE }, looking)).then(() => {
      resolve(undefined)
    }, reject)
  })
