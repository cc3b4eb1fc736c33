/**
 * The chunks that a processor has been shown and has not spoken of yet, as long as they are not too many: it may say of
 * each that it stays as it is.
 */
export class SentChunks {
  readonly #limitBytes: number
  /** Undefined once they were too many. */
  #chunks: Uint8Array[] | undefined = []
  #sizeBytes = 0
  #sent = 0
  #spokenOf = 0
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

  /** All of them, if the processor has spoken of none yet. */
  get untouched(): readonly Uint8Array[] | undefined {
    return this.#spokenOf === 0 ? this.#chunks : undefined
  }

  /** The processor speaks of the next one, which is undefined if it is not at hand any more. */
  next(): { readonly chunk: Uint8Array | undefined; readonly isLast: boolean } {
    this.#spokenOf = Math.min(this.#spokenOf + 1, this.#sent)
    const chunk = this.#chunks?.shift()
    this.#sizeBytes -= chunk?.length ?? 0
    return { chunk, isLast: this.#hasLast && this.#spokenOf === this.#sent }
  }
}
