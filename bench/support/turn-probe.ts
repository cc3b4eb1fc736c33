/**
 * Preloaded into a measured gateway: measures the turns of its event loop from the message `turns` to `turns end`.
 * Garbage collection counts, and so does what other programs on the machine take: CPU time of a thread is counted in
 * steps of four milliseconds on many systems, which is too coarse.
 */
let turns: number[] | undefined

process.on('message', (message) => {
  if (message === 'turns') measure((turns = []))
  if (message !== 'turns end' || !turns) return
  const sorted = turns.sort((a, b) => a - b)
  turns = undefined
  process.send?.({ longestMs: sorted.at(-1) ?? 0, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0 })
})
process.channel?.unref()

const measure = (list: number[]): void => {
  let before = performance.now()
  const turn = () => {
    const now = performance.now()
    const ms = now - before
    before = now
    // Empty turns would hide the others.
    if (ms > 0.05) list.push(ms)
    if (turns === list) setImmediate(turn)
  }
  setImmediate(turn)
}
