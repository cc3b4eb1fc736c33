import type { BodySink } from '../../../../model/exchange/body.ts'
import { type KeepAlive, keptAlive } from '../../../body/sse-keep-alive.ts'

/** The client's side of a stream: tracks backpressure, and sends keep-alives while everything is pending. */
export class ClientOutput {
  readonly #to: BodySink
  readonly #keepAlive: KeepAlive
  readonly #drained: () => void
  #isFull = false

  /** @param drained Called when the client reads again. */
  constructor(to: BodySink, drained: () => void) {
    this.#to = to
    this.#drained = drained
    this.#keepAlive = keptAlive(to)
  }

  get isFull(): boolean {
    return this.#isFull
  }

  write(events: Buffer): void {
    this.#keepAlive.moved()
    if (this.#to.write(events) || this.#isFull) return
    this.#isFull = true
    this.#to.onDrain(() => {
      this.#isFull = false
      this.#drained()
    })
  }

  /** Stops the keep-alives. */
  stop(): void {
    this.#keepAlive.stop()
  }
}
