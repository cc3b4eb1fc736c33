/**
 * Stops this process as Ctrl-Z does, and calls back once it is resumed. A process that no shell could resume is not
 * stopped: the system ignores the signal then, as long as nothing listens to it.
 *
 * @param pid This process, or 0 for its process group.
 */
export const suspend = (pid: number, onResume: () => void): void => {
  const listeners = process.listeners('SIGTSTP')
  process.removeAllListeners('SIGTSTP')
  process.kill(pid, 'SIGTSTP')
  // It passes only once the process runs again.
  setTimeout(() => {
    for (const listener of listeners) process.on('SIGTSTP', listener)
    onResume()
  }, resumeMs)
}

/** Signals are delivered at once, but not necessarily before the call returns. */
const resumeMs = 20
