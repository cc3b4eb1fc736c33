import { bodyAlreadyUsed, type BodySink } from '../../model/exchange/body.ts'

/** Observes how the bytes of a body are consumed. */
export interface BodyOutputEvents {
  /** The number of buffered bytes has changed. */
  onOutputChanged(): void
}

/** Buffers bytes for the consumer of a body until it takes them. */
export class BodyOutput {
  /** Buffered bytes. */
  bufferedBytes = 0
  readonly #events: BodyOutputEvents
  #to: BodySink | undefined = undefined
  #buffer: Uint8Array[] = []
  #isBlocked = false
  #ending: ((to: BodySink) => void) | undefined = undefined
  #isDelivered = false
  #isAbandoned = false

  constructor(events: BodyOutputEvents) {
    this.#events = events
  }

  /** The consumer is behind. */
  get isBehind(): boolean {
    return this.#isBlocked || this.bufferedBytes > 0
  }

  /** The end was queued, whether or not the consumer has it already. */
  get hasEnded(): boolean {
    return this.#ending !== undefined
  }

  pipe(to: BodySink): void {
    if (this.#to) throw bodyAlreadyUsed()
    this.#to = to
    this.#flush()
  }

  write(chunk: Uint8Array): void {
    if (chunk.length === 0 || this.#ending || this.#isAbandoned) return
    if (this.#to && !this.isBehind) {
      if (!this.#to.write(chunk)) this.#block(this.#to)
    } else {
      this.#buffer.push(chunk)
      this.bufferedBytes += chunk.length
    }
    if (this.isBehind) this.#events.onOutputChanged()
  }

  end(trailers?: readonly string[]): void {
    this.#finish((to) => {
      to.end(trailers)
    })
  }

  /** Ends with an error; nothing of the buffer is delivered any more. */
  fail(fault: unknown): void {
    if (this.#isDelivered) return
    this.#ending = undefined
    this.#clear()
    this.#finish((to) => {
      to.fail(fault)
    })
  }

  /** Discards everything from now on. No end follows, so that the consumer cannot take the part for the whole. */
  abandon(): void {
    this.#isAbandoned = true
    this.#clear()
    this.#events.onOutputChanged()
  }

  #finish(ending: (to: BodySink) => void): void {
    if (this.#ending || this.#isAbandoned) return
    this.#ending = ending
    this.#deliver()
  }

  #deliver(): void {
    if (!this.#to || !this.#ending || this.isBehind || this.#isDelivered || this.#isAbandoned) return
    this.#isDelivered = true
    this.#ending(this.#to)
  }

  #clear(): void {
    this.#buffer = []
    this.bufferedBytes = 0
    this.#isBlocked = false
  }

  #block(to: BodySink): void {
    this.#isBlocked = true
    to.onDrain(() => {
      this.#isBlocked = false
      this.#flush()
    })
  }

  #flush(): void {
    const to = this.#to
    if (!to) return
    while (!this.#isBlocked) {
      const chunk = this.#buffer.shift()
      if (!chunk) break
      this.bufferedBytes -= chunk.length
      if (!to.write(chunk)) this.#block(to)
    }
    this.#deliver()
    this.#events.onOutputChanged()
  }
}
