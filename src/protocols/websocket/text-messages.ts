import { type FrameHead, frameHead, opcodes } from './frame-head.ts'

/**
 * Reads the text messages of one side of a WebSocket connection (RFC 6455 §5), from chunks of any size.
 * Skips other frames, and messages beyond the limit; sends nothing.
 *
 * For connections without extensions: compressed frames are skipped too.
 */
export class TextMessages {
  readonly #take: (text: string) => void
  readonly #limitBytes: number
  #waiting: Buffer = nothing
  /** Bytes of the current frame that are still to be skipped. */
  #skip = 0
  #parts: Buffer[] = []
  #partsBytes = 0
  /** The current message is skipped. */
  #ignoring = false

  constructor(take: (text: string) => void, limitBytes: number) {
    this.#take = take
    this.#limitBytes = limitBytes
  }

  push(chunk: Buffer): void {
    let bytes = this.#waiting.length ? Buffer.concat([this.#waiting, chunk]) : chunk
    this.#waiting = nothing
    while (bytes.length > 0) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, bytes.length)
        this.#skip -= skipped
        bytes = bytes.subarray(skipped)
        continue
      }
      const head = frameHead(bytes)
      if (head && this.#isUnwanted(head)) {
        this.#skip = head.payloadBytes
        bytes = bytes.subarray(head.bytes)
        continue
      }
      if (!head || bytes.length < head.bytes + head.payloadBytes) {
        this.#waiting = Buffer.from(bytes)
        return
      }
      const end = head.bytes + head.payloadBytes
      this.#frame(head, unmasked(bytes.subarray(head.bytes, end), head.mask))
      bytes = bytes.subarray(end)
    }
  }

  /** Control frames may come between the frames of a message, and do not affect it. */
  #isUnwanted({ opcode, isFinal, isCompressed, payloadBytes }: FrameHead): boolean {
    if (opcode >= opcodes.close) return true
    if (opcode !== opcodes.continuation)
      this.#ignoring = opcode !== opcodes.text || isCompressed || payloadBytes > this.#limitBytes
    else if (this.#partsBytes + payloadBytes > this.#limitBytes) this.#ignoring = true
    if (!this.#ignoring) return false
    this.#parts = []
    this.#partsBytes = 0
    if (isFinal) this.#ignoring = false
    return true
  }

  #frame({ isFinal }: FrameHead, payload: Buffer): void {
    this.#parts.push(payload)
    this.#partsBytes += payload.length
    if (!isFinal) return
    const text = Buffer.concat(this.#parts).toString('utf8')
    this.#parts = []
    this.#partsBytes = 0
    this.#take(text)
  }
}

const unmasked = (payload: Buffer, mask: Buffer | undefined): Buffer => {
  const plain = Buffer.from(payload)
  if (mask) for (let i = 0; i < plain.length; i++) plain[i] = (plain[i] as number) ^ (mask[i & 3] as number)
  return plain
}

const nothing = Buffer.alloc(0)
