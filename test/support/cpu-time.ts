/** CPU time of this process in milliseconds, without waiting time on a busy machine. */
export const cpuTimeMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
