import type { BodySink, BufferLease } from '../../model/exchange/body.ts'

/** Chunks of this size and more are written at once, without a copy. */
const LARGE_BYTES = 16_384

/**
 * Combines the chunks of one turn of the event loop into one write. A read from a socket may yield dozens of small
 * chunks; they are inspected and written once instead. Nothing is delayed beyond the turn.
 *
 * @param to Gets every byte in order, its end or its failure after all of them.
 */
export const onceATurn = (to: BodySink): BodySink => new TurnSink(to)

class TurnSink implements BodySink {
  readonly #to: BodySink
  #chunks: Uint8Array[] = []
  #isBlocked = false
  #resume: (() => void) | undefined = undefined

  constructor(to: BodySink) {
    this.#to = to
  }

  write(chunk: Uint8Array, lease?: BufferLease): boolean {
    if (chunk.length >= LARGE_BYTES) {
      this.#flush()
      this.#pass(chunk, lease)
    } else {
      if (this.#chunks.length === 0) queueMicrotask(this.#flush)
      this.#chunks.push(lease ? Buffer.from(chunk) : chunk)
      lease?.release(chunk)
    }
    return !this.#isBlocked
  }

  end(trailers?: readonly string[]): void {
    this.#flush()
    this.#to.end(trailers)
  }

  fail(fault: unknown): void {
    this.#flush()
    this.#to.fail(fault)
  }

  onDrain(resume: () => void): void {
    if (this.#isBlocked) this.#resume = resume
    else queueMicrotask(resume)
  }

  readonly #flush = (): void => {
    const chunks = this.#chunks
    if (chunks.length === 0) return
    this.#chunks = []
    this.#pass(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks))
  }

  /** `onDrain` is called at once: by the next chunk the sink may have drained already. */
  #pass(bytes: Uint8Array, lease?: BufferLease): void {
    if (this.#to.write(bytes, lease) || this.#isBlocked) return
    this.#isBlocked = true
    this.#to.onDrain(() => {
      this.#isBlocked = false
      const resume = this.#resume
      this.#resume = undefined
      resume?.()
    })
  }
}
