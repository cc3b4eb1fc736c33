/**
 * Preloaded into a measured gateway: measures the turns of its event loop from the message `turns` to `turns end`.
 * Garbage collection counts. By the clock, so does what other programs on the machine take; by the CPU time of the
 * thread, it does not, nor does what the gateway waits for other threads.
 */
let turns: { ms: number[]; longestCpuMs: number } | undefined

process.on('message', (message) => {
  if (message === 'turns') measure((turns = { ms: [], longestCpuMs: 0 }))
  if (message !== 'turns end' || !turns) return
  const sorted = turns.ms.sort((a, b) => a - b)
  const { longestCpuMs } = turns
  turns = undefined
  process.send?.({
    longestMs: sorted.at(-1) ?? 0,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    longestCpuMs,
  })
})
process.channel?.unref()

const measure = (measured: NonNullable<typeof turns>): void => {
  let before = performance.now()
  let cpuBefore = cpuMs()
  const turn = () => {
    const now = performance.now()
    const ms = now - before
    before = now
    // Empty turns would hide the others.
    if (ms > 0.05) measured.ms.push(ms)
    const cpu = cpuMs()
    measured.longestCpuMs = Math.max(measured.longestCpuMs, cpu - cpuBefore)
    cpuBefore = cpu
    if (turns === measured) setImmediate(turn)
  }
  setImmediate(turn)
}

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
