/** Milliseconds that this process has computed so far. What a busy machine makes it wait does not count. */
export const cpuTimeMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
