import type { BodySink } from '../../model/body.ts'
import { type KeepAlive, keptAlive } from '../backend/llm/keep-alive.ts'

/** The client's side of a stream: knows when it has enough, and keeps it from looking dead while everything is held. */
export class Outlet {
  readonly #to: BodySink
  readonly #keepAlive: KeepAlive
  readonly #drained: () => void
  #isFull = false

  /** @param drained The client reads again. */
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

  /** Nothing is written any more. */
  stop(): void {
    this.#keepAlive.stop()
  }
}
