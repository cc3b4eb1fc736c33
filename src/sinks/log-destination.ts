import { openSync } from 'node:fs'
import { destination as pinoDestination } from 'pino'

/** Where finished lines go. */
export interface LogDestination {
  /** `line` ends with a newline. */
  write(line: string): void
  /** Writes what is still buffered, at once: before the process ends. */
  flushSync(): void
}

/** What a destination writes to. */
export interface LogDestinationOptions {
  /** A file descriptor or a path; default 1, the standard output. */
  readonly dest?: number | string
  /** Told of each piece of the log that was lost because its reader does not keep up. */
  readonly onDropped?: () => void
}

/** Memory a reader that stopped may cost. */
const maxBufferedBytes = 8 * 1024 * 1024

/** Lines are collected in blocks of this size. */
const blockBytes = 64 * 1024

/** Blocks with less in them wait for others. */
const smallBytes = 8 * 1024

/** Lines wait this long for their block to fill, and blocks as long for others. */
const waitMs = 50

/**
 * A buffered file or stream: lines are collected and written together, within 100 ms, and when the process exits. A
 * reader that stops reading loses lines and stops nobody.
 *
 * @throws The system's error if a path cannot be opened.
 */
export const logDestination = ({ dest = 1, onDropped }: LogDestinationOptions = {}): LogDestination => {
  const boom = pinoDestination({
    // Opened here and now: a file that is still being opened cannot be flushed.
    dest: typeof dest === 'string' ? openSync(dest, 'a') : dest,
    sync: false,
    // What it gets are whole blocks, to be written as they are.
    contentMode: 'buffer',
    // What is being written cannot be flushed, so that only full blocks are written without being told to.
    minLength: smallBytes,
    maxLength: maxBufferedBytes,
  })
  const rest = new Rest(() => {
    boom.flush()
  })
  boom.on('write', (bytes: number) => {
    rest.written(bytes)
  })
  boom.on('drop', (block: Buffer) => {
    rest.written(block.length)
    onDropped?.()
  })
  // A log that cannot be written (disk full, reader gone) has nowhere to complain. It is tried again with the next lines.
  boom.on('error', () => {
    rest.wait()
  })
  const blocks = new Blocks((block) => {
    rest.handedOver(block.length)
    boom.write(block as unknown as string)
  })
  const flushSync = (): void => {
    blocks.handOver()
    boom.flushSync()
    rest.gone()
  }
  process.once('exit', flushSync)
  return {
    write: (line) => {
      blocks.add(line)
    },
    flushSync,
  }
}

/**
 * Has what is too little for a block of its own written after a while. pino's own way looks for it all the time, and
 * writes an empty block to a log that nobody writes to twenty times a second.
 */
class Rest {
  readonly #flush: () => void
  #bytes = 0
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(flush: () => void) {
    this.#flush = flush
  }

  handedOver(bytes: number): void {
    this.#bytes += bytes
    this.#timer ??= this.#later()
  }

  written(bytes: number): void {
    this.#bytes = Math.max(0, this.#bytes - bytes)
  }

  /** What went out in another way. */
  gone(): void {
    this.#bytes = 0
  }

  wait(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #later(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = undefined
      if (this.#bytes === 0) return
      // Does nothing while something else is being written, hence the next time.
      this.#timer = this.#later()
      this.#flush()
    }, waitMs).unref()
  }
}

/**
 * Collects lines as bytes. pino's own buffer of strings measures all it holds anew with every line: 4 to 10 µs a line
 * under load, this 0.5.
 */
class Blocks {
  readonly #take: (block: Buffer) => void
  #block = Buffer.allocUnsafeSlow(blockBytes)
  #used = 0
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(take: (block: Buffer) => void) {
    this.#take = take
  }

  add(line: string): void {
    // A UTF-16 unit takes three bytes at most.
    if (line.length * 3 > blockBytes - this.#used) {
      this.handOver()
      if (line.length * 3 > blockBytes) {
        this.#take(Buffer.from(line))
        return
      }
    }
    this.#used += this.#block.write(line, this.#used)
    if (this.#timer) return
    this.#timer = setTimeout(() => {
      this.handOver()
    }, waitMs)
    this.#timer.unref()
  }

  handOver(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#used === 0) return
    const filled = this.#block.subarray(0, this.#used)
    // A block that is hardly begun goes as a copy, and stays for the next lines.
    const isSmall = this.#used < smallBytes
    this.#take(isSmall ? Buffer.from(filled) : filled)
    if (!isSmall) this.#block = Buffer.allocUnsafeSlow(blockBytes)
    this.#used = 0
  }
}
