import type { Fault } from '../../../model/exchange/fault.ts'
import { encodeNotification, encodeRpcRequest, encodeResponse } from '../../../protocols/json-rpc/encode.ts'
import type { Id, Notification, Outcome } from '../../../protocols/json-rpc/message.ts'
import { HttpServerRequest } from '../http/http-request.ts'
import { PendingCalls } from '../http/pending-calls.ts'
import { sessionClosed, streamCut } from '../http/faults.ts'
import { headerFieldsOf } from '../http/headers.ts'
import { type HttpTransportLimits, httpTransportLimits } from '../http/limits.ts'
import { LegacySseOutbox, type LegacySsePost } from './outbox.ts'
import { LegacySseStream } from './event-stream.ts'
import { NotificationQueue } from '../stdio/notification-queue.ts'
import type { RequestContext, McpCall, CallSink, ListenSink, OnSent, Transport } from '../transport.ts'

/** Options of the transport. */
export interface LegacySseOptions {
  readonly limits?: Partial<HttpTransportLimits> | undefined
  /** Called for each message that was dropped because nobody reads them. */
  readonly onMessageDropped?: (() => void) | undefined
}

/**
 * The HTTP transport before streamable HTTP: one GET stream carries all messages of the server, and begins with the
 * address for POSTs. The first message opens the stream, in its context; the stream is the session, and when it ends
 * everything fails with its fault. Another session needs another transport.
 *
 * Messages that name no call go to the youngest one, the most likely, else to the listener. Faults are reported after
 * the method that caused them has returned.
 */
export class HttpSseTransport implements Transport {
  /** The session is a connection: no other process can continue it. */
  readonly sessionId = undefined
  readonly #server: string
  readonly #path: string
  readonly #limits: HttpTransportLimits
  readonly #calls: PendingCalls
  readonly #outbox: LegacySseOutbox
  readonly #mailbox: NotificationQueue
  #stream: LegacySseStream | undefined = undefined
  #revision: string | undefined = undefined
  /** The endpoint, of several, of the stream. */
  #endpointAddress: string | undefined = undefined

  /** @param path Path and query of the stream. */
  constructor(target: string, path: string, { limits, onMessageDropped }: LegacySseOptions = {}) {
    this.#server = target
    this.#path = path
    this.#limits = { ...httpTransportLimits, ...limits }
    this.#calls = new PendingCalls(target, false)
    this.#outbox = new LegacySseOutbox(target, this.#limits.waiting)
    this.#mailbox = new NotificationQueue(this.#limits.waiting, () => {
      this.#calls.skipped++
      onMessageDropped?.()
    })
  }

  /** Why nothing more can be sent. */
  get closed(): Fault | undefined {
    return this.#outbox.fault
  }

  /** Messages of the server that were malformed or matched nothing. */
  get skipped(): number {
    return this.#calls.skipped
  }

  agreed(revision: string): void {
    this.#revision = revision
  }

  call(call: McpCall, context: RequestContext, sink: CallSink): () => void {
    let cancel = (): boolean => false
    const begun = this.#calls.begin(call, sink, (isReplied) => {
      // A response may overtake the reply to its POST, which leaves the connection usable.
      if (!isReplied) isUnsent = cancel()
    })
    let isUnsent = false
    const { id, method, params } = begun.request
    cancel = this.#post(encodeRpcRequest(id, method, params), context, (fault) => {
      if (fault) begun.fail(fault)
    })
    return () => {
      if (!begun.abandon()) return
      // An unsent request need not be cancelled, and `initialize` must not be.
      if (isUnsent || method === 'initialize') return
      this.#post(encodeNotification('notifications/cancelled', { requestId: id }), context, () => undefined)
    }
  }

  notify({ method, params }: Omit<Notification, 'jsonrpc'>, context: RequestContext, onSent: OnSent): void {
    this.#post(encodeNotification(method, params), context, onSent)
  }

  respond(id: Id, outcome: Outcome, context: RequestContext, onSent: OnSent): void {
    this.#post(encodeResponse(id, outcome), context, onSent)
  }

  /** The listener before this one is closed. */
  listen(context: RequestContext, sink: ListenSink): () => void {
    this.#open(context)
    return this.#mailbox.listen(sink)
  }

  close(): void {
    this.#stream?.stop()
    this.#end(sessionClosed(this.#server), undefined)
  }

  /** The returned function withdraws the message; it returns whether that was before it was sent. */
  #post(text: string, context: RequestContext, onSent: OnSent): () => boolean {
    let isOver = false
    const over = (fault: Fault | undefined) => {
      if (isOver) return
      isOver = true
      onSent(fault)
    }
    const httpRequest: HttpServerRequest = new HttpServerRequest(this.#server, this.#limits, {
      accepted: (reply) => {
        httpRequest.drain(reply)
        over(undefined)
      },
      failed: over,
    })
    const post: LegacySsePost = { send: (path) => this.#send(httpRequest, path, text, context), fail: over }
    this.#open(context)
    this.#outbox.put(post)
    return () => {
      isOver = true
      const isUnsent = this.#outbox.withdraw(post)
      if (!isUnsent) httpRequest.stop()
      return isUnsent
    }
  }

  #send(httpRequest: HttpServerRequest, target: string, text: string, context: RequestContext): void {
    const fields = [
      'content-type',
      'application/json',
      'accept',
      'application/json',
      'accept-encoding',
      'identity',
    ]
    if (this.#revision !== undefined) fields.push('mcp-protocol-version', this.#revision)
    const headers = headerFieldsOf(fields, context.headers)
    httpRequest.send(
      { method: 'POST', target, headers, body: Buffer.from(text), boundTo: this.#endpointAddress },
      context,
    )
  }

  #open(context: RequestContext): void {
    if (this.#stream || this.#outbox.fault) return
    const headers = headerFieldsOf(
      ['accept', 'text/event-stream', 'accept-encoding', 'identity'],
      context.headers,
    )
    const request = { method: 'GET', target: this.#path, headers }
    this.#stream = new LegacySseStream(this.#server, this.#limits, request, {
      endpoint: (path, endpointAddress) => {
        this.#endpointAddress = endpointAddress
        this.#outbox.open(path)
      },
      message: (text) => this.#take(text),
      over: (fault) => this.#over(fault),
    })
    this.#stream.open(context)
  }

  #take(text: string): void {
    this.#calls.take(text, undefined, (message) => {
      const call = this.#calls.youngest
      if (call) call.onMessage(message)
      else this.#mailbox.put(message)
    })
  }

  #over(fault: Fault | undefined): void {
    this.#end(fault ?? streamCut(this.#server), fault)
  }

  /** @param why The fault for a listener: none after a regular end. */
  #end(fault: Fault, why: Fault | undefined): void {
    this.#outbox.close(fault)
    this.#calls.failAll(fault)
    this.#mailbox.close(why)
  }
}
