const waiting: (() => void)[] = []

/**
 * Resolves in a turn of the event loop that no other caller gets, first come, first served. Every turn is shared with
 * traffic, so that work for many admin callers may take no longer in one than work for a single caller.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(giveTurn)
  })

const giveTurn = (): void => {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(giveTurn)
}
