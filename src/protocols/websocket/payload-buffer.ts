/**
 * Payload that comes in parts. It takes as much memory as has come, and not as a head promises, however small the parts
 * are.
 */
export class PayloadBuffer {
  #bytes: Buffer = nothing
  #length = 0

  get length(): number {
    return this.#length
  }

  /**
   * @param missing How much is still to come of the frame, this part included.
   * @param mask Of the frame.
   * @param offset Where in the frame the part begins.
   */
  add(part: Buffer, missing: number, mask: Buffer | undefined, offset: number): void {
    const length = this.#length + part.length
    if (length > this.#bytes.length) this.#grow(length, part.length === missing)
    const bytes = this.#bytes
    part.copy(bytes, this.#length)
    if (mask)
      for (let i = this.#length, at = offset; i < length; i++, at++)
        bytes[i] = (bytes[i] as number) ^ (mask[at & 3] as number)
    this.#length = length
  }

  /** All that has come. It begins anew. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length)
    this.#bytes = nothing
    this.#length = 0
    return taken
  }

  /** @param isWhole It may well be all there is. */
  #grow(least: number, isWhole: boolean): void {
    const isFirst = this.#bytes.length === 0
    const size = isFirst && isWhole ? least : Math.max(least, LEAST_BYTES, 2 * this.#bytes.length)
    const bytes = Buffer.allocUnsafeSlow(size)
    this.#bytes.copy(bytes, 0, 0, this.#length)
    this.#bytes = bytes
  }
}

const LEAST_BYTES = 4_096
const nothing = Buffer.alloc(0)
