import { readFile } from 'node:fs/promises'

/** Sums over the pages of a process, as Linux reports them; both absent elsewhere. */
export interface PageSums {
  /** Proportional set size: shared pages are counted in parts. */
  readonly pssBytes?: number
  readonly swapBytes?: number
}

/** How long a reading is used. */
const VALID_MS = 1_000

/**
 * Reads the sums of this process, at most once a second: the kernel walks all pages for them, which takes milliseconds
 * for each gigabyte, and keeps V8 from growing the heap meanwhile.
 */
export class PageSumsReader {
  readonly #now: () => number
  #last: { readonly reading: Promise<PageSums>; readonly atMs: number } | undefined = undefined

  /** @param now The clock, in milliseconds; it never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The sums, read outside of the event loop, or those of the last second. */
  read(): Promise<PageSums> {
    const nowMs = this.#now()
    if (!this.#last || nowMs - this.#last.atMs > VALID_MS) this.#last = { reading: readSums(), atMs: nowMs }
    return this.#last.reading
  }
}

/** The reader of the process: its gateways share it, as they share the pages. */
export const pageSums = new PageSumsReader()

const readSums = async (): Promise<PageSums> => {
  if (process.platform !== 'linux') return {}
  // Old kernels do not have the file, and some sandboxes forbid it.
  const text = await readFile('/proc/self/smaps_rollup', 'latin1').catch(() => '')
  const [pss, swap] = [kilobytes(text, 'Pss'), kilobytes(text, 'Swap')]
  return {
    ...(pss !== undefined && { pssBytes: pss }),
    ...(swap !== undefined && { swapBytes: swap }),
  }
}

const kilobytes = (text: string, field: string): number | undefined => {
  const value = new RegExp(`^${field}: +(\\d+) kB`, 'm').exec(text)?.[1]
  return value === undefined ? undefined : Number(value) * 1024
}
