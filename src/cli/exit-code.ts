/** Exit codes of `agctl`. */
export const exitCode = {
  ok: 0,
  /** The command failed, or a check found problems. */
  failed: 1,
  /** Wrong arguments; nothing was done. */
  usage: 2,
  /** The gateway or the cluster cannot be reached. */
  unreachable: 3,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const
