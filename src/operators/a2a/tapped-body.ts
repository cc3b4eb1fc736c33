import { type Body, type BodySink, BufferBody, type BufferLease } from '../../model/exchange/body.ts'
import { PassingSink } from '../../model/exchange/pass-through-sink.ts'
import { PassingBody } from '../body/pass-through-body.ts'

/** Observes a body as it passes. */
export interface BodyListener {
  /** The bytes may be overwritten after the call. */
  onChunk(chunk: Uint8Array): void
  /** No more bytes follow, whether or not the body was complete. Called once, or never if the body is not consumed. */
  onEnd(): void
}

/** The same body, observed by a listener. Bytes at hand are reported immediately and stay at hand. */
export const tapEvents = (body: Body, listener: BodyListener): Body => {
  if (!(body instanceof BufferBody)) return new TappedBody(body, listener)
  listener.onChunk(body.bytes)
  listener.onEnd()
  return body
}

class TappedBody extends PassingBody {
  readonly #listener: BodyListener

  constructor(body: Body, listener: BodyListener) {
    super(body)
    this.#listener = listener
  }

  pipe(to: BodySink): void {
    this.body.pipe(new TappedSink(to, this.#listener))
  }
}

class TappedSink extends PassingSink {
  readonly #listener: BodyListener

  constructor(to: BodySink, listener: BodyListener) {
    super(to)
    this.#listener = listener
  }

  override write(chunk: Uint8Array, lease?: BufferLease): boolean {
    this.#listener.onChunk(chunk)
    return this.to.write(chunk, lease)
  }

  override end(trailers?: readonly string[]): void {
    this.#listener.onEnd()
    this.to.end(trailers)
  }

  override fail(fault: unknown): void {
    this.#listener.onEnd()
    this.to.fail(fault)
  }
}
