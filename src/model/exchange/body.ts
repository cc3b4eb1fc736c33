import { Buffer } from 'node:buffer'
import type { Readable } from 'node:stream'
import { Fault } from './fault.ts'

/** Memory that is used again once it was given back. */
export interface BufferLease {
  /** Nothing refers to the chunk any more. Counts only if it is said before the `write` of the chunk returns. */
  release(chunk: Uint8Array): void
}

/** Where the bytes of a body go. */
export interface BodySink {
  /**
   * False means: stop until `onDrain` calls back.
   *
   * @param lease Set if the memory of the chunk is wanted back. A sink that cannot tell whether anything still refers to
   * it leaves the loan alone, and the chunk is its own.
   */
  write(chunk: Uint8Array, lease?: BufferLease): boolean
  /** The last byte came, and the trailers after it: name, value …. */
  end(trailers?: readonly string[]): void
  /** The bytes ended early; what was written is not the whole. */
  fail(fault: unknown): void
  /** At most one callback is pending at a time. */
  onDrain(resume: () => void): void
}

/**
 * The bytes of a message. They are consumed at most once, by exactly one of `pipe`, `read`, `drop` and `source`; a
 * second consumer gets a thrown `Fault` `body_already_used`.
 */
export interface Body {
  /** Known size, or undefined for a stream whose end is not announced. */
  readonly lengthBytes: number | undefined
  /** Name, value … of what follows the last byte, where that is known already. */
  readonly knownTrailers?: readonly string[] | undefined
  pipe(to: BodySink): void
  /** All of it; rejects with `Fault` `body_too_large` beyond `limitBytes`, having dropped the rest. */
  read(limitBytes: number): Promise<Buffer>
  /** Nobody wants it: let the source stop sending. */
  drop(): void
  /** What an HTTP client takes as a request body: nothing, bytes, or a Node stream. */
  source(): Readable | Buffer | null
}

/** No bytes at all. */
export const emptyBody: Body = {
  lengthBytes: 0,
  pipe: (to) => {
    to.end()
  },
  read: () => Promise.resolve(Buffer.alloc(0)),
  drop: () => undefined,
  source: () => null,
}

/** Bytes at hand. Being in memory, they may be consumed again, which is what makes a request replayable. */
export class BufferBody implements Body {
  readonly bytes: Buffer
  readonly lengthBytes: number

  constructor(bytes: Buffer | string) {
    this.bytes = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    this.lengthBytes = this.bytes.length
  }

  pipe(to: BodySink): void {
    if (this.lengthBytes) to.write(this.bytes)
    to.end()
  }

  read(limitBytes: number): Promise<Buffer> {
    return this.lengthBytes > limitBytes
      ? Promise.reject(bodyTooLarge(limitBytes))
      : Promise.resolve(this.bytes)
  }

  drop(): void {
    // Nothing is held that has to be let go.
  }

  source(): Buffer {
    return this.bytes
  }
}

/** The fault of a body beyond a limit. Request bodies answer 413, response bodies 502. */
export const bodyTooLarge = (limitBytes: number): Fault =>
  new Fault('body_too_large', `body exceeds the limit of ${limitBytes} bytes`, {
    status: 413,
    reason: 'InvalidRequest',
  })

/** The fault of a second consumer. */
export const bodyAlreadyUsed = (): Fault =>
  new Fault('body_already_used', 'body was consumed twice', { status: 500 })
