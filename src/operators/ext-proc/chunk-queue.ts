/**
 * The chunks that were sent to a processor and have no response yet, up to a limit: the response may leave a chunk
 * unchanged.
 */
export class SentChunks {
  readonly #limitBytes: number
  /** Undefined once the limit was exceeded. */
  #chunks: Uint8Array[] | undefined = []
  #sizeBytes = 0
  #sent = 0
  #acknowledged = 0
  #hasLast = false

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  add(chunk: Uint8Array, isLast: boolean): void {
    this.#sent++
    this.#hasLast = isLast
    this.#chunks?.push(chunk)
    this.#sizeBytes += chunk.length
    if (this.#sizeBytes > this.#limitBytes) this.#chunks = undefined
  }

  /** All of them, if the processor has responded to none yet. */
  get unacknowledged(): readonly Uint8Array[] | undefined {
    return this.#acknowledged === 0 ? this.#chunks : undefined
  }

  /** Takes the chunk of the next response; undefined if it is not kept any more. */
  next(): { readonly chunk: Uint8Array | undefined; readonly isLast: boolean } {
    this.#acknowledged = Math.min(this.#acknowledged + 1, this.#sent)
    const chunk = this.#chunks?.shift()
    this.#sizeBytes -= chunk?.length ?? 0
    return { chunk, isLast: this.#hasLast && this.#acknowledged === this.#sent }
  }
}
