/** Told of a line, without its end. `whole` is false if it was too long: then these are its first bytes. */
export type TakeLine = (text: string, whole: boolean) => void

/** A buffer that had to grow beyond this is not kept for the next line. */
const KEPT_BYTES = 64 * 1024

/**
 * Cuts a stream of bytes into lines of UTF-8. Lines end with LF or CRLF; blank ones are left out. What waits for its end
 * is copied into one buffer: somebody who sends byte by byte costs no more than those bytes.
 */
export class StdioLines {
  readonly #limitBytes: number
  readonly #take: TakeLine
  #held = Buffer.alloc(0)
  #heldBytes = 0
  /** The rest of a line that was too long. */
  #skipping = false

  constructor(limitBytes: number, take: TakeLine) {
    this.#limitBytes = limitBytes
    this.#take = take
  }

  push(chunk: Buffer): void {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(10, start)
      if (end < 0) break
      this.#complete(chunk, start, end)
      start = end + 1
    }
    this.#hold(chunk, start, chunk.length)
  }

  /** Nothing more comes: what waits is a line too. */
  end(): void {
    this.#complete(Buffer.alloc(0), 0, 0)
  }

  #complete(chunk: Buffer, start: number, end: number): void {
    if (this.#heldBytes === 0 && !this.#skipping && end - start <= this.#limitBytes) {
      this.#say(chunk.toString('utf8', start, end), true)
      return
    }
    this.#hold(chunk, start, end)
    const skipped = this.#skipping
    this.#skipping = false
    if (!skipped) this.#say(this.#drain(), true)
  }

  #hold(chunk: Buffer, start: number, end: number): void {
    if (this.#skipping || start === end) return
    const fits = Math.min(end - start, this.#limitBytes - this.#heldBytes)
    this.#grow(this.#heldBytes + fits)
    chunk.copy(this.#held, this.#heldBytes, start, start + fits)
    this.#heldBytes += fits
    if (fits === end - start) return
    this.#skipping = true
    this.#say(this.#drain(), false)
  }

  #grow(bytes: number): void {
    if (bytes <= this.#held.length) return
    const larger = Buffer.allocUnsafe(Math.max(bytes, Math.min(2 * this.#held.length, this.#limitBytes)))
    this.#held.copy(larger, 0, 0, this.#heldBytes)
    this.#held = larger
  }

  #drain(): string {
    const text = this.#held.toString('utf8', 0, this.#heldBytes)
    this.#heldBytes = 0
    if (this.#held.length > KEPT_BYTES) this.#held = Buffer.alloc(0)
    return text
  }

  #say(text: string, whole: boolean): void {
    const line = text.endsWith('\r') ? text.slice(0, -1) : text
    if (line.trim() !== '') this.#take(line, whole)
  }
}
