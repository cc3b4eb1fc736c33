import { bodyAlreadyUsed, type BodySink } from '../../model/body.ts'

/** Who wants to know how the bytes of a body are taken. */
export interface OutflowEvents {
  /** More, or fewer, are waiting to be taken. */
  outflowChanged(): void
}

/** Bytes on their way to whoever consumes a body; they wait here as long as nobody takes them. */
export class Outflow {
  /** Bytes that nobody has taken yet. */
  waitingBytes = 0
  readonly #events: OutflowEvents
  #to: BodySink | undefined = undefined
  #waiting: Uint8Array[] = []
  #isBlocked = false
  #ending: ((to: BodySink) => void) | undefined = undefined
  #isDelivered = false
  #isAbandoned = false

  constructor(events: OutflowEvents) {
    this.#events = events
  }

  /** The consumer is behind. */
  get isBehind(): boolean {
    return this.#isBlocked || this.waitingBytes > 0
  }

  /** Has been given its end, whether or not that is through. */
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
      if (!this.#to.write(chunk)) this.#wait(this.#to)
    } else {
      this.#waiting.push(chunk)
      this.waitingBytes += chunk.length
    }
    if (this.isBehind) this.#events.outflowChanged()
  }

  end(trailers?: readonly string[]): void {
    this.#finish((to) => {
      to.end(trailers)
    })
  }

  /** Nothing of what waits is delivered any more. */
  fail(fault: unknown): void {
    if (this.#isDelivered) return
    this.#ending = undefined
    this.#forget()
    this.#finish((to) => {
      to.fail(fault)
    })
  }

  /** What comes goes nowhere, and no end follows: nobody can take it for the whole. */
  abandon(): void {
    this.#isAbandoned = true
    this.#forget()
    this.#events.outflowChanged()
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

  #forget(): void {
    this.#waiting = []
    this.waitingBytes = 0
    this.#isBlocked = false
  }

  #wait(to: BodySink): void {
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
      const chunk = this.#waiting.shift()
      if (!chunk) break
      this.waitingBytes -= chunk.length
      if (!to.write(chunk)) this.#wait(to)
    }
    this.#deliver()
    this.#events.outflowChanged()
  }
}
