import { eventOf, type AwsEvent } from './event.ts'
import { decodeMessage } from './message.ts'

/** Takes what a stream of messages says. */
export interface AwsEventSink {
  /** @param name Of the event or the exception. @param data JSON. */
  event(name: string | undefined, data: string): void
  /** A message is too long, cut short, or not what its checksum says: nothing comes any more. */
  broken(problem: string): void
}

/**
 * Reads `application/vnd.amazon.eventstream` from chunks that may end anywhere.
 *
 * A message that is whole in a chunk is not copied; one that is not is gathered in a buffer of its own size, which its
 * first four bytes tell.
 *
 * @example
 * let problem = ''
 * const decoder = new AwsEventDecoder(1024, { event: () => undefined, broken: (why) => (problem = why) })
 * decoder.push(Buffer.from([0, 0, 0, 1]))
 * problem // 'a message of 1 bytes is too short to be one'
 */
export class AwsEventDecoder {
  readonly #sink: AwsEventSink
  readonly #limitBytes: number
  /** The message that is not whole: a buffer of its length, or of four bytes while that is not known. */
  #held: Buffer = nothing
  #heldBytes = 0
  #isOver = false

  /** @param limitBytes Of one message with all that is around it. */
  constructor(limitBytes: number, sink: AwsEventSink) {
    this.#sink = sink
    this.#limitBytes = limitBytes
  }

  /** Takes the next bytes; events that they complete are told before it returns. */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    while (!this.#isOver && start < bytes.length)
      start = this.#heldBytes > 0 ? this.#fill(bytes, start) : this.#begin(bytes, start)
  }

  /** The stream has ended, which must not be inside of a message. */
  end(): void {
    if (!this.#isOver && this.#heldBytes > 0) this.#break('the stream ends inside of a message')
    this.#isOver = true
  }

  /** A message at its first byte. Gives the position after what was taken. */
  #begin(bytes: Buffer, start: number): number {
    const available = bytes.length - start
    if (available < LENGTH_BYTES) {
      this.#held = Buffer.allocUnsafe(LENGTH_BYTES)
    } else {
      const length = bytes.readUInt32BE(start)
      if (this.#isWrong(length)) return bytes.length
      if (available >= length) {
        this.#tell(bytes.subarray(start, start + length))
        return start + length
      }
      this.#held = Buffer.allocUnsafe(length)
    }
    this.#heldBytes = bytes.copy(this.#held, 0, start)
    return bytes.length
  }

  /** More of a message that has begun. */
  #fill(bytes: Buffer, start: number): number {
    const taken = bytes.copy(this.#held, this.#heldBytes, start)
    this.#heldBytes += taken
    if (this.#heldBytes < this.#held.length) return bytes.length
    if (this.#held.length > LENGTH_BYTES) {
      const frame = this.#held
      this.#held = nothing
      this.#heldBytes = 0
      this.#tell(frame)
    } else {
      const length = this.#held.readUInt32BE(0)
      if (this.#isWrong(length)) return bytes.length
      const frame = Buffer.allocUnsafe(length)
      this.#held.copy(frame)
      this.#held = frame
    }
    return start + taken
  }

  #isWrong(length: number): boolean {
    if (length < SMALLEST_BYTES) this.#break(`a message of ${length} bytes is too short to be one`)
    else if (length > this.#limitBytes)
      this.#break(`a message of ${length} bytes is longer than ${this.#limitBytes}`)
    return this.#isOver
  }

  #tell(frame: Buffer): void {
    let event: AwsEvent
    try {
      event = eventOf(decodeMessage(frame))
    } catch (cause) {
      this.#break(cause instanceof Error ? cause.message : 'a message cannot be read')
      return
    }
    this.#sink.event(event.name, event.data)
  }

  #break(problem: string): void {
    this.#isOver = true
    this.#held = nothing
    this.#heldBytes = 0
    this.#sink.broken(problem)
  }
}

const LENGTH_BYTES = 4
/** Two lengths, the checksum of them, and the checksum of all. */
const SMALLEST_BYTES = 16
const nothing = Buffer.alloc(0)
