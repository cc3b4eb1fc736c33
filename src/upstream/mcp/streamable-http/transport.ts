import { encodeNotification, encodeResponse } from '../../protocols/json-rpc/encode.ts'
import type { Id, Notification, Outcome } from '../../protocols/json-rpc/message.ts'
import { ServerAsk } from './http-ask.ts'
import { HttpCalls } from './http-calls.ts'
import { sessionClosed } from './http-faults.ts'
import { StreamableHttpCall } from './streamable-http-call.ts'
import { StreamableHttpEndpoint, type StreamableHttpOptions } from './streamable-http-endpoint.ts'
import { StreamableHttpListener } from './streamable-http-listener.ts'
import type { Behalf, Call, CallSink, ListenSink, Taken, Wire } from './wire.ts'

/**
 * Streamable HTTP: every message is a POST of its own, answered by one message or by a stream of them.
 *
 * A status that is not 2xx fails the call with `ServerRefused`, even if its body is a JSON-RPC error under the id of the
 * call: status, challenge and error belong together, and only the caller knows which of them the client gets. The id in
 * that body is the wire's.
 *
 * What goes wrong is told after the method that led to it has returned.
 */
export class StreamableHttpWire implements Wire {
  readonly #endpoint: StreamableHttpEndpoint
  readonly #calls: HttpCalls
  #listener: StreamableHttpListener | undefined = undefined
  #isClosed = false

  /** @param path Path and query. */
  constructor(target: string, path: string, options: StreamableHttpOptions) {
    this.#endpoint = new StreamableHttpEndpoint(target, path, options)
    this.#calls = new HttpCalls(target, options.sessionId !== undefined)
  }

  get sessionId(): string | undefined {
    return this.#endpoint.sessionId
  }

  get place(): string | undefined {
    return this.#endpoint.place
  }

  /** Messages of the server's that could not be read, or were for nobody. */
  get skipped(): number {
    return this.#calls.skipped
  }

  agreed(revision: string): void {
    this.#endpoint.revision = revision
  }

  call(call: Call, behalf: Behalf, sink: CallSink): () => void {
    if (this.#isClosed) {
      queueMicrotask(() => sink.fail(sessionClosed(this.#endpoint.server)))
      return () => undefined
    }
    const sent = new StreamableHttpCall(this.#endpoint, this.#calls, call, behalf, sink)
    return () => sent.cancel()
  }

  notify({ method, params }: Omit<Notification, 'jsonrpc'>, behalf: Behalf, taken: Taken): void {
    this.#post(encodeNotification(method, params), { method, params }, behalf, taken)
  }

  answer(id: Id, outcome: Outcome, behalf: Behalf, taken: Taken): void {
    this.#post(encodeResponse(id, outcome), {}, behalf, taken)
  }

  /** The listener before this one is closed. */
  listen(behalf: Behalf, sink: ListenSink): () => void {
    this.#listener?.close()
    this.#listener = undefined
    // In the modern era a call that is never answered takes this part.
    if (this.#isClosed || this.#endpoint.era === 'modern') {
      queueMicrotask(() => sink.closed(undefined))
      return () => undefined
    }
    const listener = new StreamableHttpListener(this.#endpoint, this.#calls, behalf, sink)
    this.#listener = listener
    return () => listener.stop()
  }

  close(behalf: Behalf | undefined): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#calls.failAll(sessionClosed(this.#endpoint.server))
    this.#listener?.close()
    if (behalf && this.#endpoint.era === 'legacy' && this.#endpoint.sessionId !== undefined) this.#end(behalf)
  }

  #post(text: string, message: Partial<Call>, behalf: Behalf, taken: Taken): void {
    const { server, limits } = this.#endpoint
    if (this.#isClosed) {
      queueMicrotask(() => taken(sessionClosed(server)))
      return
    }
    const ask: ServerAsk = new ServerAsk(server, limits, {
      accepted: (reply) => {
        ask.drain(reply)
        taken(undefined)
      },
      failed: taken,
    })
    ask.send(this.#endpoint.post(text, message, behalf), behalf)
  }

  #end(behalf: Behalf): void {
    const { server, limits } = this.#endpoint
    // Whatever the server says to it: nobody could do anything about it.
    const ask: ServerAsk = new ServerAsk(server, limits, {
      accepted: (reply) => ask.drain(reply),
      failed: () => undefined,
    })
    ask.send(this.#endpoint.delete(behalf), behalf)
  }
}
