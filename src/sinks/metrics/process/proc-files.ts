import { readdir, readFile } from 'node:fs/promises'

/** What Linux reports of this process; all undefined elsewhere. */
export interface ProcFiles {
  readonly openFds?: number
  /** Absent if there is no limit. */
  readonly maxFds?: number
  readonly pssBytes?: number
  readonly swapBytes?: number
}

/** Reads `/proc/self`, outside of the event loop: summing up the pages of a large process takes milliseconds. */
export const readProcFiles = async (): Promise<ProcFiles> => {
  if (process.platform !== 'linux') return {}
  const [fds, limits, memory] = await Promise.all([
    readdir('/proc/self/fd').catch(() => undefined),
    readFile('/proc/self/limits', 'latin1').catch(() => ''),
    readFile('/proc/self/smaps_rollup', 'latin1').catch(() => ''),
  ])
  const maxFds = /^Max open files +(\d+)/m.exec(limits)?.[1]
  const pss = kilobytes(memory, 'Pss')
  const swap = kilobytes(memory, 'Swap')
  return {
    // One of them was opened for reading the folder.
    ...(fds && { openFds: fds.length - 1 }),
    ...(maxFds !== undefined && { maxFds: Number(maxFds) }),
    ...(pss !== undefined && { pssBytes: pss }),
    ...(swap !== undefined && { swapBytes: swap }),
  }
}

const kilobytes = (text: string, field: string): number | undefined => {
  const value = new RegExp(`^${field}: +(\\d+) kB`, 'm').exec(text)?.[1]
  return value === undefined ? undefined : Number(value) * 1024
}
