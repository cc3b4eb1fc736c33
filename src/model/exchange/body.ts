import { Buffer } from 'node:buffer'
import type { Readable } from 'node:stream'
import { Fault } from './fault.ts'

/** Memory that is used again once it is released. */
export interface BufferLease {
  /** Nothing refers to the chunk any more. Has an effect only if called before the `write` of the chunk returns. */
  release(chunk: Uint8Array): void
}

/** Receives the bytes of a body. */
export interface BodySink {
  /**
   * False means: stop until `onDrain` calls back.
   *
   * @param lease Set if the memory of the chunk will be used again. A sink that does not know when the chunk is free
   * ignores the lease and may keep the chunk.
   */
  write(chunk: Uint8Array, lease?: BufferLease): boolean
  /** The body is complete. Trailers are name, value …. */
  end(trailers?: readonly string[]): void
  /** The body broke off: what was written is incomplete. */
  fail(fault: unknown): void
  /** At most one callback is pending at a time. */
  onDrain(resume: () => void): void
}

/**
 * The bytes of a message. They are consumed at most once, by exactly one of `pipe`, `read`, `drop` and `source`; a
 * second consumer gets a thrown `Fault` `body_already_used`.
 */
export interface Body {
  /** Known size, or undefined for a stream of unknown length. */
  readonly lengthBytes: number | undefined
  /** Trailers as name, value …, if they are known already. */
  readonly knownTrailers?: readonly string[] | undefined
  pipe(to: BodySink): void
  /** Reads the whole body. Rejects with `Fault` `body_too_large` beyond `limitBytes`, having dropped the rest. */
  read(limitBytes: number): Promise<Buffer>
  /** Discards the body: the source may stop sending. */
  drop(): void
  /** The body as HTTP clients take it: nothing, bytes, or a Node stream. */
  source(): Readable | Buffer | null
}

/** An empty body. */
export const emptyBody: Body = {
  lengthBytes: 0,
  pipe: (to) => {
    to.end()
  },
  read: () => Promise.resolve(Buffer.alloc(0)),
  drop: () => undefined,
  source: () => null,
}

/** A body in memory. It may be consumed again, which makes a request replayable. */
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
    // There is nothing to release.
  }

  source(): Buffer {
    return this.bytes
  }
}

/** The fault of a body beyond a limit: 413 for request bodies, 502 for response bodies. */
export const bodyTooLarge = (limitBytes: number): Fault =>
  new Fault('body_too_large', `body exceeds the limit of ${limitBytes} bytes`, {
    status: 413,
    reason: 'InvalidRequest',
  })

/** The fault of a second consumer. */
export const bodyAlreadyUsed = (): Fault =>
  new Fault('body_already_used', 'body was consumed twice', { status: 500 })
