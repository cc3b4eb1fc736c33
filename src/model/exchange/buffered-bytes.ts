/**
 * Bytes that wait for more, in memory that doubles as they grow: each is copied a few times at most, however small the
 * chunks are in which they come. The memory of chunks is not kept.
 */
export class BufferedBytes {
  #memory: Buffer = nothing
  #length = 0

  get length(): number {
    return this.#length
  }

  /** All of them, in memory that later ones may be added to. */
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

  /** Gives all of them away. */
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
