/**
 * Shares work among concurrent callers: while a run is under way, all further callers get the result of the next one.
 * So each result is of a run that began after its caller came, and any number of callers causes two runs at a time.
 *
 * @example
 * const report = coalesced(() => collect())
 * await Promise.all([report(), report(), report()]) // collects twice
 */
export const coalesced = <Result>(run: () => Promise<Result>): (() => Promise<Result>) => {
  let running: Promise<Result> | undefined
  let next: Promise<Result> | undefined
  const start = (): Promise<Result> => {
    const begun = run().finally(() => {
      if (running === begun) running = undefined
    })
    running = begun
    return begun
  }
  const startNext = (): Promise<Result> => {
    next = undefined
    return start()
  }
  return () => {
    if (!running) return start()
    next ??= running.then(startNext, startNext)
    return next
  }
}
