import { close, write, writeSync } from 'node:fs'

/** Maximum memory for a blocked reader. */
const maxBytes = 8 * 1024 * 1024

/** Delay before a write to a busy reader is retried. */
const retryMs = 50

/** Maximum wait of a flush for a slow reader. */
const timeoutMs = 2_000

/**
 * Writes blocks of bytes to a file descriptor, one after the other, without blocking.
 *
 * pino's own destination (sonic-boom), when flushed, retries the same bytes for ever if the reader is gone: the process
 * could not end.
 */
export class BlockWriter {
  #fd: number
  /** Replaces the descriptor as soon as no block is written in part. */
  #nextFd: number | undefined = undefined
  readonly #onDropped: (() => void) | undefined
  readonly #blocks: Buffer[] = []
  #bytes = 0
  #isWriting = false
  /** The rest of a block must follow its beginning. */
  #isPartial = false
  #isClosing = false
  #isLater = false

  /** @param onDropped Called for each block for which there is no room. */
  constructor(fd: number, onDropped?: () => void) {
    this.#fd = fd
    this.#onDropped = onDropped
  }

  add(block: Buffer): void {
    this.#keep(block)
    this.#next()
  }

  /** Writes to another descriptor from the next block on, and closes the one before. */
  replace(fd: number): void {
    if (this.#nextFd !== undefined) closeFile(this.#nextFd)
    this.#nextFd = fd
    this.#switch()
  }

  /** Closes the descriptor after the write under way. Blocks must be flushed before. */
  close(): void {
    this.#isClosing = true
    if (this.#nextFd !== undefined) closeFile(this.#nextFd)
    this.#nextFd = undefined
    if (!this.#isWriting) closeFile(this.#fd)
  }

  /**
   * Writes all blocks that are not being written yet, and then `last`, synchronously, as far as the reader takes them.
   */
  flushSync(last?: Buffer): void {
    if (last) this.#keep(last)
    const first = this.#isWriting ? 1 : 0
    const deadline = performance.now() + timeoutMs
    for (let block = this.#blocks[first]; block; block = this.#blocks[first])
      try {
        this.#written(first, writeSync(this.#fd, block))
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) return
        pause()
      }
  }

  #keep(block: Buffer): void {
    if (this.#bytes + block.length > maxBytes) {
      this.#onDropped?.()
      return
    }
    this.#blocks.push(block)
    this.#bytes += block.length
  }

  #next(): void {
    const [block] = this.#blocks
    if (this.#isWriting || this.#isClosing) return
    this.#switch()
    if (!block) return
    this.#isWriting = true
    write(this.#fd, block, (error, bytes) => {
      this.#isWriting = false
      if (this.#isClosing) closeFile(this.#fd)
      else if (!error) {
        this.#written(0, bytes)
        this.#next()
      }
      // A log that cannot be written (disk full, reader gone) has no channel for its errors. The next block retries.
      else if (isBusy(error)) this.#later()
    })
  }

  #written(index: number, bytes: number): void {
    const block = this.#blocks[index]
    if (!block) return
    this.#bytes -= bytes
    this.#isPartial = bytes < block.length
    if (this.#isPartial) this.#blocks[index] = block.subarray(bytes)
    else this.#blocks.splice(index, 1)
  }

  #switch(): void {
    if (this.#nextFd === undefined || this.#isWriting || this.#isPartial) return
    closeFile(this.#fd)
    this.#fd = this.#nextFd
    this.#nextFd = undefined
  }

  #later(): void {
    if (this.#isLater) return
    this.#isLater = true
    setTimeout(() => {
      this.#isLater = false
      this.#next()
    }, retryMs).unref()
  }
}

/** Without a callback, an error of the close would be thrown. */
const closeFile = (fd: number): void => {
  close(fd, () => undefined)
}

/** Whether a reader is only busy. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EAGAIN'

const pause = (): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
}
