const waiting: (() => void)[] = []

/**
 * Resolves in a turn of the event loop that no other caller gets, in order of arrival. Every turn is shared with
 * traffic, so work for many admin callers must not take longer per turn than work for one.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(giveTurn)
  })

const giveTurn = (): void => {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(giveTurn)
}
