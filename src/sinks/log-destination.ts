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
    periodicFlush: waitMs,
  })
  if (onDropped) boom.on('drop', onDropped)
  // A log that cannot be written (disk full, reader gone) has nowhere to complain.
  boom.on('error', () => undefined)
  const blocks = new Blocks((block) => void boom.write(block as unknown as string))
  const flushSync = (): void => {
    blocks.handOver()
    boom.flushSync()
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
