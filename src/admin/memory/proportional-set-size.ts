import { readFile } from 'node:fs/promises'

let reading: Promise<number | null> | undefined

/**
 * Bytes of memory of this process, shared pages counted in parts (PSS); null where the system does not tell.
 *
 * The kernel walks all pages for it, which takes milliseconds for each gigabyte: it is read on a thread, and concurrent
 * callers share one reading, so that they do not take the threads of others.
 */
export const proportionalSetSize = (): Promise<number | null> => {
  reading ??= read().finally(() => {
    reading = undefined
  })
  return reading
}

const read = async (): Promise<number | null> => {
  if (process.platform !== 'linux') return null
  try {
    const found = /^Pss:\s+(\d+) kB$/m.exec(await readFile('/proc/self/smaps_rollup', 'latin1'))
    return found ? Number(found[1]) * 1024 : null
  } catch {
    // Old kernels do not have it, and some sandboxes forbid it.
    return null
  }
}
