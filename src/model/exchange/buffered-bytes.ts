/**
 * A growing buffer. Its memory doubles when full, so that each byte is copied a few times at most, however small the
 * chunks are. It does not keep the memory of the chunks.
 */
export class BufferedBytes {
  #memory: Buffer = nothing
  #length = 0

  get length(): number {
    return this.#length
  }

  /** All bytes so far. Later bytes may be appended in the same memory. */
  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length)
  }

  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.length
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, LEAST_BYTES, 2 * this.#memory.length))
      this.bytes.copy(larger)
      this.#memory = larger
    }
    this.#memory.set(chunk, this.#length)
    this.#length = length
  }

  /** Returns all bytes and clears the buffer. */
  take(): Buffer {
    const { bytes } = this
    this.clear()
    return bytes
  }

  clear(): void {
    this.#memory = nothing
    this.#length = 0
  }
}

const LEAST_BYTES = 64
const nothing = Buffer.alloc(0)
