import { eventOf, type AwsEvent } from './event.ts'
import { decodeMessage } from './message.ts'

/** Receives the decoded events of a stream. */
export interface AwsEventSink {
  /** @param name Of the event or the exception. @param data JSON. */
  event(name: string | undefined, data: string): void
  /** A message is too long, incomplete, or has a wrong checksum: the stream ends here. */
  broken(problem: string): void
}

/**
 * Decodes `application/vnd.amazon.eventstream` from chunks of any size.
 *
 * A message within one chunk is not copied; any other is collected in a buffer of its own size, which its
 * first four bytes contain.
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
  /** The incomplete message: a buffer of its length, or of four bytes until the length is known. */
  #buffered: Buffer = nothing
  #bufferedBytes = 0
  #isOver = false

  /** @param limitBytes Longest message, with its frame. */
  constructor(limitBytes: number, sink: AwsEventSink) {
    this.#sink = sink
    this.#limitBytes = limitBytes
  }

  /** Decodes the next bytes; calls the sink for completed events before it returns. */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    while (!this.#isOver && start < bytes.length)
      start = this.#bufferedBytes > 0 ? this.#fill(bytes, start) : this.#begin(bytes, start)
  }

  /** The stream has ended; an error within a message. */
  end(): void {
    if (!this.#isOver && this.#bufferedBytes > 0) this.#break('the stream ends inside of a message')
    this.#isOver = true
  }

  /** Decodes a message from its first byte. Returns the position after the bytes it has taken. */
  #begin(bytes: Buffer, start: number): number {
    const available = bytes.length - start
    if (available < LENGTH_BYTES) {
      this.#buffered = Buffer.allocUnsafe(LENGTH_BYTES)
    } else {
      const length = bytes.readUInt32BE(start)
      if (this.#isWrong(length)) return bytes.length
      if (available >= length) {
        this.#emit(bytes.subarray(start, start + length))
        return start + length
      }
      this.#buffered = Buffer.allocUnsafe(length)
    }
    this.#bufferedBytes = bytes.copy(this.#buffered, 0, start)
    return bytes.length
  }

  /** Continues an incomplete message. */
  #fill(bytes: Buffer, start: number): number {
    const taken = bytes.copy(this.#buffered, this.#bufferedBytes, start)
    this.#bufferedBytes += taken
    if (this.#bufferedBytes < this.#buffered.length) return bytes.length
    if (this.#buffered.length > LENGTH_BYTES) {
      const frame = this.#buffered
      this.#buffered = nothing
      this.#bufferedBytes = 0
      this.#emit(frame)
    } else {
      const length = this.#buffered.readUInt32BE(0)
      if (this.#isWrong(length)) return bytes.length
      const frame = Buffer.allocUnsafe(length)
      this.#buffered.copy(frame)
      this.#buffered = frame
    }
    return start + taken
  }

  #isWrong(length: number): boolean {
    if (length < SMALLEST_BYTES) this.#break(`a message of ${length} bytes is too short to be one`)
    else if (length > this.#limitBytes)
      this.#break(`a message of ${length} bytes is longer than ${this.#limitBytes}`)
    return this.#isOver
  }

  #emit(frame: Buffer): void {
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
    this.#buffered = nothing
    this.#bufferedBytes = 0
    this.#sink.broken(problem)
  }
}

const LENGTH_BYTES = 4
/** Two lengths, their checksum, and the checksum of the message. */
const SMALLEST_BYTES = 16
const nothing = Buffer.alloc(0)
