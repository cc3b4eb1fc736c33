/**
 * Reads numbers and length-prefixed vectors (RFC 8446 section 3). Reading past the end returns zeros and
 * empty values and sets `failed`, so that a parser checks once at its end instead of after every step.
 */
export class ByteReader {
  failed = false
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Nothing is left to read, or reading failed. */
  isDone(): boolean {
    return this.failed || this.#at === this.#bytes.length
  }

  skip(count: number): void {
    this.#take(count)
  }

  /** A big-endian number of 1 to 4 bytes. */
  number(size: 1 | 2 | 3 | 4): number {
    const start = this.#take(size)
    return this.failed ? 0 : this.#bytes.readUIntBE(start, size)
  }

  /** A vector whose length comes first, in `size` bytes. */
  vector(size: 1 | 2): ByteReader {
    const length = this.number(size)
    const start = this.#take(length)
    return new ByteReader(
      this.failed ? this.#bytes.subarray(0, 0) : this.#bytes.subarray(start, start + length),
    )
  }

  /** All the bytes as Latin-1 text. */
  text(): string {
    return this.#bytes.toString('latin1')
  }

  #take(count: number): number {
    const start = this.#at
    if (start + count > this.#bytes.length) this.failed = true
    else this.#at += count
    return start
  }
}
