import { type Body, type BodySink, BufferBody, type Loan } from '../../model/body.ts'
import { PassingSink } from '../../model/passing-sink.ts'
import { PassingBody } from '../body/passing-body.ts'

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

class OverheardBody extends PassingBody {
  readonly #listener: Listener

  constructor(body: Body, listener: Listener) {
    super(body)
    this.#listener = listener
  }

  pipe(to: BodySink): void {
    this.body.pipe(new OverheardSink(to, this.#listener))
  }
}

class OverheardSink extends PassingSink {
  readonly #listener: Listener

  constructor(to: BodySink, listener: Listener) {
    super(to)
    this.#listener = listener
  }

  override write(chunk: Uint8Array, loan?: Loan): boolean {
    this.#listener.heard(chunk)
    return this.to.write(chunk, loan)
  }

  override end(trailers?: readonly string[]): void {
    this.#listener.ended()
    this.to.end(trailers)
  }

  override fail(fault: unknown): void {
    this.#listener.ended()
    this.to.fail(fault)
  }
}
