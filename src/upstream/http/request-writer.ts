import type { Writable } from 'node:stream'
import type { BodySink } from '../model/body.ts'

/** Who wants to know what became of a request's body. */
export interface RequestEnd {
  /** The last byte was written; trailers may follow it. */
  bodyEnded(trailers: readonly string[] | undefined): void
  /** The body broke off: the upstream must not take what it got for the whole. */
  bodyBroke(fault: unknown): void
}

/** Passes the body of a request to a stream of Node. An upstream that has stopped listening lets it run dry. */
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
    const goOn = () => {
      to.off('drain', goOn).off('close', goOn)
      resume()
    }
    to.on('drain', goOn).on('close', goOn)
  }

  #isDeaf(): boolean {
    return this.#to.destroyed || this.#to.writableEnded
  }
}
