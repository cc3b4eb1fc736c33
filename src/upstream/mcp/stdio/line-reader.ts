/** Called with a line, without its end. `whole` is false if it was too long: then these are its first bytes. */
export type OnLine = (text: string, whole: boolean) => void

/** A buffer that had to grow beyond this is not kept for the next line. */
const KEPT_BYTES = 64 * 1024

/**
 * Splits a stream of bytes into lines of UTF-8. Lines end with LF or CRLF; blank ones are left out. An incomplete line
 * is copied into one buffer, so that single-byte chunks cost no more than their bytes.
 */
export class StdioLines {
  readonly #limitBytes: number
  readonly #onLine: OnLine
  #buffer = Buffer.alloc(0)
  #bufferedBytes = 0
  /** The rest of a line that was too long. */
  #skipping = false

  constructor(limitBytes: number, onLine: OnLine) {
    this.#limitBytes = limitBytes
    this.#onLine = onLine
  }

  push(chunk: Buffer): void {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(10, start)
      if (end < 0) break
      this.#complete(chunk, start, end)
      start = end + 1
    }
    this.#append(chunk, start, chunk.length)
  }

  /** The stream ended: an incomplete line counts too. */
  end(): void {
    this.#complete(Buffer.alloc(0), 0, 0)
  }

  #complete(chunk: Buffer, start: number, end: number): void {
    if (this.#bufferedBytes === 0 && !this.#skipping && end - start <= this.#limitBytes) {
      this.#emit(chunk.toString('utf8', start, end), true)
      return
    }
    this.#append(chunk, start, end)
    const skipped = this.#skipping
    this.#skipping = false
    if (!skipped) this.#emit(this.#drain(), true)
  }

  #append(chunk: Buffer, start: number, end: number): void {
    if (this.#skipping || start === end) return
    const fits = Math.min(end - start, this.#limitBytes - this.#bufferedBytes)
    this.#grow(this.#bufferedBytes + fits)
    chunk.copy(this.#buffer, this.#bufferedBytes, start, start + fits)
    this.#bufferedBytes += fits
    if (fits === end - start) return
    this.#skipping = true
    this.#emit(this.#drain(), false)
  }

  #grow(bytes: number): void {
    if (bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(bytes, Math.min(2 * this.#buffer.length, this.#limitBytes)))
    this.#buffer.copy(larger, 0, 0, this.#bufferedBytes)
    this.#buffer = larger
  }

  #drain(): string {
    const text = this.#buffer.toString('utf8', 0, this.#bufferedBytes)
    this.#bufferedBytes = 0
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.alloc(0)
    return text
  }

  #emit(text: string, whole: boolean): void {
    const line = text.endsWith('\r') ? text.slice(0, -1) : text
    if (line.trim() !== '') this.#onLine(line, whole)
  }
}
