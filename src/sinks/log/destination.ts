import { constants, openSync } from 'node:fs'
import { BlockWriter } from './block-writer.ts'

/** Receives complete lines. */
export interface LogDestination {
  /** `line` ends with a newline. */
  write(line: string): void
  /** Writes all buffered lines synchronously, before the process ends. */
  flushSync(): void
  /**
   * Opens the file again, so that a renamed one is replaced; no line is lost, and none is cut in two. Does nothing for a
   * descriptor.
   *
   * @throws The system's error if it cannot be opened; the file before stays in use.
   */
  reopen?(): void
  /** Writes all buffered lines and closes the file. Nothing may be written afterwards. */
  close?(): void
}

/** Options of a log destination. */
export interface LogDestinationOptions {
  /** A file descriptor or a path; default 1, the standard output. */
  readonly dest?: number | string
  /** Called for each block that was dropped because the reader does not keep up. */
  readonly onDropped?: () => void
}

/** Lines are collected in blocks of this size. */
const blockBytes = 64 * 1024

/** Blocks with less content are copied, and reused: queued blocks then take little more memory than their lines. */
const smallBytes = 32 * 1024

/** Maximum delay of a line until its block is full. */
const waitMs = 50

/**
 * A buffered file or stream: lines are collected and written together, within 50 ms, and when the process exits. If a
 * reader stops or is gone, lines are lost; nothing blocks, and the process can end.
 *
 * @throws The system's error if a path cannot be opened.
 */
export const logDestination = ({ dest = 1, onDropped }: LogDestinationOptions = {}): LogDestination => {
  const writer = new BlockWriter(typeof dest === 'string' ? openLogFile(dest) : dest, onDropped)
  const blocks = new Blocks((block) => {
    writer.add(block)
  })
  const flushSync = (): void => {
    writer.flushSync(blocks.take())
  }
  process.once('exit', flushSync)
  return {
    write: (line) => {
      blocks.add(line)
    },
    flushSync,
    reopen: () => {
      if (typeof dest === 'string') writer.replace(openLogFile(dest))
    },
    close: () => {
      process.off('exit', flushSync)
      flushSync()
      if (typeof dest === 'string') writer.close()
    },
  }
}

/** Opens a file to append to. A named pipe without a reader is refused, which would block the process. */
const openLogFile = (path: string): number =>
  openSync(
    path,
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK,
    FILE_MODE,
  )

/** Logs may contain addresses and names of callers. */
const FILE_MODE = 0o640

/**
 * Collects lines as bytes. pino's own buffer of strings measures its whole content with every line: 4 to 10 µs a line
 * under load, this 0.5.
 */
class Blocks {
  readonly #to: (block: Buffer) => void
  #block = Buffer.allocUnsafeSlow(blockBytes)
  #used = 0
  #timer: NodeJS.Timeout | undefined = undefined

  /** @param to Receives each block that is full, or old enough. */
  constructor(to: (block: Buffer) => void) {
    this.#to = to
  }

  add(line: string): void {
    // A UTF-16 unit takes three bytes at most.
    if (line.length * 3 > blockBytes - this.#used) {
      this.#handOver()
      if (line.length * 3 > blockBytes) {
        this.#to(Buffer.from(line))
        return
      }
    }
    this.#used += this.#block.write(line, this.#used)
    if (this.#timer) return
    this.#timer = setTimeout(() => {
      this.#handOver()
    }, waitMs)
    this.#timer.unref()
  }

  /** The current block; undefined if it is empty. */
  take(): Buffer | undefined {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#used === 0) return undefined
    const filled = this.#block.subarray(0, this.#used)
    const isSmall = this.#used < smallBytes
    if (!isSmall) this.#block = Buffer.allocUnsafeSlow(blockBytes)
    this.#used = 0
    return isSmall ? Buffer.from(filled) : filled
  }

  #handOver(): void {
    const block = this.take()
    if (block) this.#to(block)
  }
}
