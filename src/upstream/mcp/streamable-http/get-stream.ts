import type { Fault } from '../../model/fault.ts'
import type { HttpCalls } from './http-calls.ts'
import { ServerRefused } from './server-refused.ts'
import type { StreamableHttpEndpoint } from './streamable-http-endpoint.ts'
import { StreamableHttpStream } from './streamable-http-stream.ts'
import type { Behalf, ListenSink } from './wire.ts'

/** Listens to what a server of the handshake revisions says outside of calls: the stream behind a GET. */
export class StreamableHttpListener {
  readonly #sink: ListenSink
  readonly #stream: StreamableHttpStream
  #isOver = false

  constructor(endpoint: StreamableHttpEndpoint, calls: HttpCalls, behalf: Behalf, sink: ListenSink) {
    this.#sink = sink
    this.#stream = new StreamableHttpStream({
      server: endpoint.server,
      limits: endpoint.limits,
      behalf,
      request: (lastEventId) => endpoint.get(lastEventId, behalf),
      // Proxies end quiet streams, and servers restart.
      opensAgain: () => true,
      message: (text) => calls.take(text, undefined, (message) => this.#sink.said(message)),
      over: (fault) => this.#over(fault),
    })
    this.#stream.open()
  }

  /** Somebody else listens, or the wire was closed. */
  close(): void {
    this.#stream.stop()
    queueMicrotask(() => this.#over(undefined))
  }

  /** The sink hears nothing more. */
  stop(): void {
    this.#isOver = true
    this.#stream.stop()
  }

  #over(fault: Fault | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    // Servers need not have such a stream, and say so with this status.
    const hasNone = fault instanceof ServerRefused && fault.status === 405
    this.#sink.closed(hasNone ? undefined : fault)
  }
}
