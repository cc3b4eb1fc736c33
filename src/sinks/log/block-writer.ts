import { write, writeSync } from 'node:fs'

/** Memory a reader that stopped may cost. */
const maxBytes = 8 * 1024 * 1024

/** A reader that takes nothing is offered the same again after this long. */
const retryMs = 50

/** How long a flush waits for a reader that is slow. */
const timeoutMs = 2_000

/**
 * Writes blocks of bytes to a file descriptor, one after the other, without making anybody wait.
 *
 * pino's own destination (sonic-boom) offers a reader that is gone the same bytes for ever when it is flushed: the
 * process could not end.
 */
export class BlockWriter {
  readonly #fd: number
  readonly #onDropped: (() => void) | undefined
  readonly #blocks: Buffer[] = []
  #bytes = 0
  #isWriting = false
  #isLater = false

  /** @param onDropped Told of each block for which there is no room. */
  constructor(fd: number, onDropped?: () => void) {
    this.#fd = fd
    this.#onDropped = onDropped
  }

  add(block: Buffer): void {
    this.#keep(block)
    this.#next()
  }

  /** Writes here and now what is not being written yet, and this after it, as far as somebody takes it. */
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
    if (this.#isWriting || !block) return
    this.#isWriting = true
    write(this.#fd, block, (error, bytes) => {
      this.#isWriting = false
      if (!error) {
        this.#written(0, bytes)
        this.#next()
      }
      // A log that cannot be written (disk full, reader gone) has nowhere to complain. It is tried again with the next block.
      else if (isBusy(error)) this.#later()
    })
  }

  #written(index: number, bytes: number): void {
    const block = this.#blocks[index]
    if (!block) return
    this.#bytes -= bytes
    if (bytes < block.length) this.#blocks[index] = block.subarray(bytes)
    else this.#blocks.splice(index, 1)
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

/** Whether a reader only has no room now. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EAGAIN'

const pause = (): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
}
