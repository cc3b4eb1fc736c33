import { readFile } from 'node:fs/promises'

/** How long a reading is used. */
const validMs = 1_000

let last: { readonly reading: Promise<number | null>; readonly atMs: number } | undefined

/**
 * Bytes of memory of this process, shared pages counted in parts (PSS); null where the system does not tell.
 *
 * The kernel walks all pages for it, which takes milliseconds for each gigabyte, and keeps V8 from growing the heap
 * meanwhile: it is read on a thread, and at most once a second.
 *
 * @param nowMs By the clock of `performance`.
 */
export const proportionalSetSize = (nowMs = performance.now()): Promise<number | null> => {
  if (!last || nowMs - last.atMs > validMs) last = { reading: read(), atMs: nowMs }
  return last.reading
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
