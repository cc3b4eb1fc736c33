import { readdir, readFile } from 'node:fs/promises'
import { pageSums, type PageSums } from './page-sums.ts'

/** What Linux reports of this process; all undefined elsewhere. */
export interface ProcFiles extends PageSums {
  readonly openFds?: number
  /** Absent if there is no limit. */
  readonly maxFds?: number
}

/** Reads `/proc/self`, outside of the event loop. */
export const readProcFiles = async (): Promise<ProcFiles> => {
  if (process.platform !== 'linux') return {}
  const [fds, limits, sums] = await Promise.all([
    readdir('/proc/self/fd').catch(() => undefined),
    readFile('/proc/self/limits', 'latin1').catch(() => ''),
    pageSums.read(),
  ])
  const maxFds = /^Max open files +(\d+)/m.exec(limits)?.[1]
  return {
    // One of them was opened for reading the folder.
    ...(fds && { openFds: fds.length - 1 }),
    ...(maxFds !== undefined && { maxFds: Number(maxFds) }),
    ...sums,
  }
}
