import type { Fault } from '../../../model/exchange/fault.ts'
import type { Notification, JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import type { ListenSink } from '../transport.ts'

/** Passes messages that belong to no call to the listener, or buffers a bounded number until there is one. */
export class NotificationQueue {
  readonly #limit: number
  readonly #dropped: (message: Notification | JsonRpcRequest) => void
  #waiting: (Notification | JsonRpcRequest)[] = []
  #listener: ListenSink | undefined = undefined
  /** Set by `close`. */
  #closed: { readonly fault: Fault | undefined } | undefined = undefined

  /** @param dropped Called for each message that was dropped for a newer one. */
  constructor(limit: number, dropped: (message: Notification | JsonRpcRequest) => void) {
    this.#limit = limit
    this.#dropped = dropped
  }

  get hasListener(): boolean {
    return this.#listener !== undefined
  }

  put(message: Notification | JsonRpcRequest): void {
    if (this.#closed) return
    if (this.#listener && this.#waiting.length === 0) {
      this.#listener.onMessage(message)
      return
    }
    this.#waiting.push(message)
    const oldest = this.#waiting.length > this.#limit ? this.#waiting.shift() : undefined
    if (oldest) this.#dropped(oldest)
  }

  /** Closes the previous listener. Buffered messages are delivered after this has returned. */
  listen(sink: ListenSink): () => void {
    const before = this.#listener
    this.#listener = sink
    before?.closed(undefined)
    queueMicrotask(() => this.#handOver(sink))
    return () => {
      if (this.#listener === sink) this.#listener = undefined
    }
  }

  /** Buffered messages are still delivered. */
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
      sink.onMessage(message)
    }
    if (this.#listener !== sink || !this.#closed) return
    this.#listener = undefined
    sink.closed(this.#closed.fault)
  }
}
