import assert from 'node:assert/strict'

/** CPU time of this process in milliseconds, without waiting time on a busy machine. */
export const cpuTimeMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** How the CPU time of work grows with the number of its items. */
export interface Growth {
  readonly few: number
  readonly many: number
  /** Many take less than this many times as long as few. */
  readonly times: number
}

/**
 * Fails if work on many items takes too long, compared with few. The shortest of several runs counts: whatever takes
 * longer was the collection of garbage, or another process. There are more runs while that may be the reason.
 */
export const assertGrowth = (tookMs: (count: number) => number, { few, many, times }: Growth): void => {
  let [fewMs, manyMs] = [Infinity, Infinity]
  for (let run = 1; run <= 10; run++) {
    fewMs = Math.min(fewMs, tookMs(few))
    manyMs = Math.min(manyMs, tookMs(many))
    // The smallest times are those of the clock.
    if (run >= 3 && manyMs < times * Math.max(fewMs, 10)) return
  }
  assert.fail(`${fewMs} ms, then ${manyMs} ms`)
}
