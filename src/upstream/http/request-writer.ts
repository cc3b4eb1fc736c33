import type { Writable } from 'node:stream'
import type { BodySink } from '../../model/exchange/body.ts'

/** Called when a request's body has ended. */
export interface RequestEnd {
  /** The last byte was written; trailers may follow it. */
  bodyEnded(trailers: readonly string[] | undefined): void
  /** The body broke off: the upstream must not take the part it got for the whole. */
  bodyBroke(fault: unknown): void
}

/** Writes the body of a request to a Node stream. If the upstream has stopped reading, the body is discarded. */
export class RequestWriter implements BodySink {
  readonly #to: Writable
  readonly #request: RequestEnd

  constructor(to: Writable, request: RequestEnd) {
    this.#to = to
    this.#request = request
  }

  write(chunk: Uint8Array): boolean {
    return this.#isDeaf() || this.#to.write(chunk)
  }

  end(trailers?: readonly string[]): void {
    if (!this.#isDeaf()) this.#request.bodyEnded(trailers)
  }

  fail(fault: unknown): void {
    this.#request.bodyBroke(fault)
  }

  onDrain(resume: () => void): void {
    const to = this.#to
    const onRoom = () => {
      to.off('drain', onRoom).off('close', onRoom)
      resume()
    }
    to.on('drain', onRoom).on('close', onRoom)
  }

  #isDeaf(): boolean {
    return this.#to.destroyed || this.#to.writableEnded
  }
}
