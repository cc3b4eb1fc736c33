import { encodeNotification, encodeResponse } from '../../../protocols/json-rpc/encode.ts'
import type { Id, Notification, Outcome } from '../../../protocols/json-rpc/message.ts'
import { HttpServerRequest } from '../http/http-request.ts'
import { PendingCalls } from '../http/pending-calls.ts'
import { sessionClosed } from '../http/faults.ts'
import { ServerRefused } from '../http-status-error.ts'
import { StreamableHttpCall } from './call.ts'
import { StreamableHttpEndpoint, type StreamableHttpOptions } from './endpoint.ts'
import { StreamableHttpListener } from './get-stream.ts'
import type { RequestContext, McpCall, CallSink, ListenSink, OnSent, Transport } from '../transport.ts'

/**
 * Streamable HTTP: every message is a POST, whose response is one message or a stream of them.
 *
 * A status that is not 2xx fails the call with `ServerRefused`, even if its body is a JSON-RPC error under the id of
 * the call: status, challenge and error belong together, and only the caller knows which of them the client gets. The
 * id in that body is the transport's.
 *
 * Faults are reported after the method that caused them has returned.
 */
export class StreamableHttpTransport implements Transport {
  readonly #endpoint: StreamableHttpEndpoint
  readonly #calls: PendingCalls
  #listener: StreamableHttpListener | undefined = undefined
  #isClosed = false

  /** @param path Path and query. */
  constructor(target: string, path: string, options: StreamableHttpOptions) {
    this.#endpoint = new StreamableHttpEndpoint(target, path, options)
    this.#calls = new PendingCalls(target, options.sessionId !== undefined)
  }

  get sessionId(): string | undefined {
    return this.#endpoint.sessionId
  }

  get endpointAddress(): string | undefined {
    return this.#endpoint.endpointAddress
  }

  /** Messages of the server that were malformed or matched nothing. */
  get skipped(): number {
    return this.#calls.skipped
  }

  agreed(revision: string): void {
    this.#endpoint.revision = revision
  }

  call(call: McpCall, context: RequestContext, sink: CallSink): () => void {
    if (this.#isClosed) {
      queueMicrotask(() => sink.fail(sessionClosed(this.#endpoint.server)))
      return () => undefined
    }
    const sent = new StreamableHttpCall(this.#endpoint, this.#calls, call, context, sink)
    return () => sent.cancel()
  }

  notify({ method, params }: Omit<Notification, 'jsonrpc'>, context: RequestContext, onSent: OnSent): void {
    this.#post(encodeNotification(method, params), { method, params }, context, onSent)
  }

  respond(id: Id, outcome: Outcome, context: RequestContext, onSent: OnSent): void {
    this.#post(encodeResponse(id, outcome), {}, context, onSent)
  }

  /** The listener before this one is closed. */
  listen(context: RequestContext, sink: ListenSink): () => void {
    this.#listener?.close()
    this.#listener = undefined
    // In the modern era a long-running call (`subscriptions/listen`) replaces this.
    if (this.#isClosed || this.#endpoint.era === 'modern') {
      queueMicrotask(() => sink.closed(undefined))
      return () => undefined
    }
    const listener = new StreamableHttpListener(this.#endpoint, this.#calls, context, sink)
    this.#listener = listener
    return () => listener.stop()
  }

  close(context: RequestContext | undefined, onResponse?: (status: number | undefined) => void): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#calls.failAll(sessionClosed(this.#endpoint.server))
    this.#listener?.close()
    if (context && this.#endpoint.era === 'legacy' && this.#endpoint.sessionId !== undefined)
      this.#end(context, onResponse)
  }

  #post(text: string, message: Partial<McpCall>, context: RequestContext, onSent: OnSent): void {
    const { server, limits } = this.#endpoint
    if (this.#isClosed) {
      queueMicrotask(() => onSent(sessionClosed(server)))
      return
    }
    const httpRequest: HttpServerRequest = new HttpServerRequest(server, limits, {
      accepted: (reply) => {
        httpRequest.drain(reply)
        onSent(undefined)
      },
      failed: onSent,
    })
    httpRequest.send(this.#endpoint.post(text, message, context), context)
  }

  #end(context: RequestContext, onResponse: (status: number | undefined) => void = () => undefined): void {
    const { server, limits } = this.#endpoint
    const httpRequest: HttpServerRequest = new HttpServerRequest(server, limits, {
      accepted: (reply) => {
        httpRequest.drain(reply)
        onResponse(reply.status)
      },
      // The status is only passed on: nothing depends on success.
      failed: (fault) => onResponse(fault instanceof ServerRefused ? fault.status : undefined),
    })
    httpRequest.send(this.#endpoint.delete(context), context)
  }
}
