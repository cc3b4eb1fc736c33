/**
 * Payload that arrives in parts. Its memory is in proportion to the received bytes, not to the announced
 * length, however small the parts are.
 */
export class PayloadBuffer {
  #bytes: Buffer = nothing
  #length = 0

  get length(): number {
    return this.#length
  }

  /**
   * @param missing Remaining bytes of the frame, including this part.
   * @param mask The mask of the frame.
   * @param offset The offset of the part in the frame.
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

  /** All received bytes. The buffer is empty afterwards. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length)
    this.#bytes = nothing
    this.#length = 0
    return taken
  }

  /** @param isWhole The part is probably the whole payload. */
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
