import type { Fault } from '../../../model/exchange/fault.ts'
import type { PendingCalls } from '../http/pending-calls.ts'
import { ServerRefused } from '../http-status-error.ts'
import type { StreamableHttpEndpoint } from './endpoint.ts'
import { StreamableHttpStream } from './event-stream.ts'
import type { RequestContext, ListenSink } from '../transport.ts'

/** The GET stream: messages of a server outside of calls, in revisions with handshakes. */
export class StreamableHttpListener {
  readonly #sink: ListenSink
  readonly #stream: StreamableHttpStream
  #isOver = false

  constructor(
    endpoint: StreamableHttpEndpoint,
    calls: PendingCalls,
    context: RequestContext,
    sink: ListenSink,
  ) {
    this.#sink = sink
    this.#stream = new StreamableHttpStream({
      server: endpoint.server,
      limits: endpoint.limits,
      context,
      request: (lastEventId) => endpoint.get(lastEventId, context),
      // Proxies close idle streams, and servers restart.
      opensAgain: () => true,
      message: (text) => calls.take(text, undefined, (message) => this.#sink.onMessage(message)),
      over: (fault) => this.#over(fault),
    })
    this.#stream.open()
  }

  /** Another listener takes over, or the transport was closed. */
  close(): void {
    this.#stream.stop()
    queueMicrotask(() => this.#over(undefined))
  }

  /** The sink gets nothing more. */
  stop(): void {
    this.#isOver = true
    this.#stream.stop()
  }

  #over(fault: Fault | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    // Servers without such a stream reply with this status.
    const hasNone = fault instanceof ServerRefused && fault.status === 405
    this.#sink.closed(hasNone ? undefined : fault)
  }
}
