import { Readable } from 'node:stream'
import type { Body, BodySink, BufferLease } from '../../model/exchange/body.ts'

/**
 * A body that may be offered to several clients in turn, as long as none of them has begun to read it, as when a
 * connection cannot be opened. It records whether all of it has been read.
 */
export class SharedBody implements Body {
  readonly lengthBytes: number | undefined
  readonly #body: Body
  #source: Readable | Buffer | null | undefined
  #sink: EndingSink | undefined = undefined

  /** @param taken The source of the body, if a client that has not begun to read has taken it. */
  constructor(body: Body, taken?: Readable | Buffer) {
    this.#body = body
    this.#source = taken
    this.lengthBytes = body.lengthBytes
  }

  /** The last byte has been passed on. */
  get hasEnded(): boolean {
    if (this.#source instanceof Readable) return this.#source.readableEnded
    return this.#sink?.hasEnded ?? this.#source !== undefined
  }

  /** A client that has read all of the body has kept it for the next one. */
  restore(kept: Buffer): void {
    this.#source = kept
    if (this.#body instanceof SharedBody) this.#body.restore(kept)
  }

  source(): Readable | Buffer | null {
    if (this.#source === undefined) this.#source = this.#body.source()
    return this.#source
  }

  pipe(to: BodySink): void {
    this.#sink = new EndingSink(to)
    this.#body.pipe(this.#sink)
  }

  read(limitBytes: number): Promise<Buffer> {
    return this.#body.read(limitBytes)
  }

  drop(): void {
    this.#body.drop()
  }
}

/** Passes on the body, and records its end. */
class EndingSink implements BodySink {
  hasEnded = false
  readonly #to: BodySink

  constructor(to: BodySink) {
    this.#to = to
  }

  write(chunk: Uint8Array, lease?: BufferLease): boolean {
    return this.#to.write(chunk, lease)
  }

  end(trailers?: readonly string[]): void {
    this.hasEnded = true
    this.#to.end(trailers)
  }

  fail(fault: unknown): void {
    this.#to.fail(fault)
  }

  onDrain(resume: () => void): void {
    this.#to.onDrain(resume)
  }
}
