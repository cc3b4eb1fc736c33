import type { Readable } from 'node:stream'
import { type Body, type BodySink, BufferBody } from '../../model/body.ts'
import { collect } from '../body/collect.ts'
import { readableOf } from '../body/readable.ts'

/** Hears what a body says, as it goes by. */
export interface Listener {
  /** The bytes may change after the call. */
  heard(chunk: Uint8Array): void
  /** There will be no more, be it the end or not. Called once, or never if nobody wants the body. */
  ended(): void
}

/** The same body, with somebody who listens. Bytes at hand are heard at once and stay what they are. */
export const overhear = (body: Body, listener: Listener): Body => {
  if (!(body instanceof BufferBody)) return new OverheardBody(body, listener)
  listener.heard(body.bytes)
  listener.ended()
  return body
}

class OverheardBody implements Body {
  readonly #body: Body
  readonly #listener: Listener

  constructor(body: Body, listener: Listener) {
    this.#body = body
    this.#listener = listener
  }

  get lengthBytes(): number | undefined {
    return this.#body.lengthBytes
  }

  get knownTrailers(): readonly string[] | undefined {
    return this.#body.knownTrailers
  }

  pipe(to: BodySink): void {
    this.#body.pipe(new OverheardSink(to, this.#listener))
  }

  read(limitBytes: number): Promise<Buffer> {
    return collect(this, limitBytes)
  }

  drop(): void {
    this.#body.drop()
  }

  source(): Readable {
    return readableOf(this)
  }
}

class OverheardSink implements BodySink {
  readonly #to: BodySink
  readonly #listener: Listener

  constructor(to: BodySink, listener: Listener) {
    this.#to = to
    this.#listener = listener
  }

  write(chunk: Uint8Array): boolean {
    this.#listener.heard(chunk)
    return this.#to.write(chunk)
  }

  end(trailers?: readonly string[]): void {
    this.#listener.ended()
    this.#to.end(trailers)
  }

  fail(fault: unknown): void {
    this.#listener.ended()
    this.#to.fail(fault)
  }

  onDrain(resume: () => void): void {
    this.#to.onDrain(resume)
  }
}
