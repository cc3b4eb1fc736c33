import type { Fault } from '../../model/fault.ts'
import type { Notification, Request } from '../../protocols/json-rpc/message.ts'
import type { ListenSink } from './wire.ts'

/** Where messages go that belong to no call: to the listener, or into a bounded queue until there is one. */
export class StdioMailbox {
  readonly #limit: number
  readonly #dropped: (message: Notification | Request) => void
  #waiting: (Notification | Request)[] = []
  #listener: ListenSink | undefined = undefined
  /** Set once nothing more comes. */
  #closed: { readonly fault: Fault | undefined } | undefined = undefined

  /** @param dropped Told of each message that had to give way to a newer one. */
  constructor(limit: number, dropped: (message: Notification | Request) => void) {
    this.#limit = limit
    this.#dropped = dropped
  }

  put(message: Notification | Request): void {
    if (this.#closed) return
    if (this.#listener && this.#waiting.length === 0) {
      this.#listener.said(message)
      return
    }
    this.#waiting.push(message)
    const oldest = this.#waiting.length > this.#limit ? this.#waiting.shift() : undefined
    if (oldest) this.#dropped(oldest)
  }

  /** The listener before, if there is one, hears no more. What waits comes after this has returned. */
  listen(sink: ListenSink): () => void {
    const before = this.#listener
    this.#listener = sink
    before?.closed(undefined)
    queueMicrotask(() => this.#handOver(sink))
    return () => {
      if (this.#listener === sink) this.#listener = undefined
    }
  }

  /** What waits is still handed to whoever listens. */
  close(fault: Fault | undefined): void {
    if (this.#closed) return
    this.#closed = { fault }
    const listener = this.#listener
    if (listener) queueMicrotask(() => this.#handOver(listener))
  }

  #handOver(sink: ListenSink): void {
    while (this.#listener === sink) {
      const message = this.#waiting.shift()
      if (!message) break
      sink.said(message)
    }
    if (this.#listener !== sink || !this.#closed) return
    this.#listener = undefined
    sink.closed(this.#closed.fault)
  }
}
