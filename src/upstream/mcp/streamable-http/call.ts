import type { Fault } from '../../../model/exchange/fault.ts'
import { encodeNotification, encodeRpcRequest } from '../../../protocols/json-rpc/encode.ts'
import type { Headers } from '../../../model/exchange/headers.ts'
import { HttpServerRequest } from '../http/http-request.ts'
import type { PendingCalls } from '../http/pending-calls.ts'
import { type Collected, collectBody } from '../http/read-body.ts'
import { responseMalformed, messageTooLarge, streamCut } from '../http/faults.ts'
import { codingOf, contentTypeOf } from '../http/headers.ts'
import type { PendingCall } from '../http/pending-call.ts'
import { ServerRefused } from '../http-status-error.ts'
import type { StreamableHttpEndpoint } from './endpoint.ts'
import { StreamableHttpStream } from './event-stream.ts'
import type { RequestContext, McpCall, CallSink, ServerReply } from '../transport.ts'

/** Session ids are visible ASCII. */
const visibleAscii = /^[\x21-\x7e]+$/
const passedThrough = new Set([401, 403])

/** One request: its POST, and the response as JSON or as a stream. */
export class StreamableHttpCall {
  readonly #endpoint: StreamableHttpEndpoint
  readonly #calls: PendingCalls
  readonly #context: RequestContext
  readonly #call: PendingCall
  readonly #pausing: McpCall['pausing']
  readonly #httpRequest: HttpServerRequest
  #stream: StreamableHttpStream | undefined = undefined
  /** The response was JSON, and is read completely. */
  #isRead = false

  constructor(
    endpoint: StreamableHttpEndpoint,
    calls: PendingCalls,
    call: McpCall,
    context: RequestContext,
    sink: CallSink,
  ) {
    this.#endpoint = endpoint
    this.#calls = calls
    this.#context = context
    this.#pausing = call.pausing
    this.#httpRequest = new HttpServerRequest(endpoint.server, endpoint.limits, {
      accepted: (reply, endpointAddress) => this.#accepted(reply, endpointAddress),
      failed: (fault) => this.#call.fail(fault),
    })
    this.#call = calls.begin(call, sink, (isReplied) => this.#onEnd(isReplied))
    const { id, method, params } = this.#call.request
    const sent = { method, params, mirrored: call.mirrored }
    this.#httpRequest.send(endpoint.post(encodeRpcRequest(id, method, params), sent, context), context)
  }

  /** Cancels the request, and informs the server in the way of its era. */
  cancel(): void {
    if (!this.#call.abandon()) return
    const { id, method } = this.#call.request
    // In the modern era closing the stream cancels; `initialize` cannot be cancelled.
    if (this.#endpoint.era === 'modern' || method === 'initialize') return
    const { server, limits } = this.#endpoint
    const text = encodeNotification('notifications/cancelled', { requestId: id })
    const httpRequest: HttpServerRequest = new HttpServerRequest(server, limits, {
      accepted: (reply) => httpRequest.drain(reply),
      failed: () => undefined,
    })
    httpRequest.send(
      this.#endpoint.post(text, { method: 'notifications/cancelled' }, this.#context),
      this.#context,
    )
  }

  #onEnd(isReplied: boolean): void {
    // The end of a stream follows its last message; waiting for it keeps the connection usable.
    if (isReplied && this.#stream) this.#stream.stopSoon()
    else if (this.#stream) this.#stream.stop()
    else if (!this.#isRead) this.#httpRequest.stop()
  }

  #accepted(reply: ServerReply, endpointAddress: string | undefined): void {
    const { server, limits } = this.#endpoint
    const { headers, body } = reply
    if (!this.#recordSession(headers, endpointAddress)) {
      body.drop()
      this.#call.fail(responseMalformed(server, 'gave the session a name that cannot be sent'))
      return
    }
    const coding = codingOf(headers)
    const type = contentTypeOf(headers)
    if (coding === undefined && type === 'text/event-stream') this.#stream = this.#streamFrom(reply)
    else if (coding === undefined && type === 'application/json')
      collectBody(body, limits.messageBytes, (bytes, how, fault) => this.#collected(bytes, how, fault))
    else {
      body.drop()
      const what = coding ?? type ?? `status ${reply.status} and nothing`
      this.#call.fail(responseMalformed(server, `answered with ${what} instead of a message`))
    }
  }

  #streamFrom(reply: ServerReply): StreamableHttpStream {
    const { server, limits, era } = this.#endpoint
    const stream = new StreamableHttpStream({
      server,
      limits,
      context: this.#context,
      request: (lastEventId) => this.#endpoint.get(lastEventId, this.#context),
      // A server may close and resume the stream any number of times, as long as events come.
      opensAgain: (lastEventId, quiet) =>
        era === 'legacy' && lastEventId !== undefined && quiet < limits.reconnects,
      message: (text) => this.#onMessage(text),
      pausing: (retryMs) => this.#pausing?.(retryMs),
      over: (fault) => this.#cut(fault),
    })
    stream.take(reply, this.#httpRequest)
    return stream
  }

  #collected(bytes: Buffer, how: Collected, fault: unknown): void {
    const { server, limits } = this.#endpoint
    if (how === 'long') this.#call.fail(messageTooLarge(server, limits.messageBytes))
    else if (how === 'cut') this.#call.fail(streamCut(server, fault))
    else {
      this.#isRead = true
      this.#onMessage(bytes)
      // Checked first: making a fault is expensive, and every JSON response comes here.
      if (this.#call.isOpen) this.#call.fail(responseMalformed(server, 'sent something else for the answer'))
    }
  }

  #onMessage(text: Buffer | string): void {
    this.#calls.take(text, this.#call, () => undefined)
  }

  #cut(fault: Fault | undefined): void {
    // A failed resumption counts as a broken stream. Only refused credentials are passed through: an unknown session
    // would make the caller repeat a request that the server may have executed.
    const isPassedThrough =
      fault instanceof ServerRefused ? passedThrough.has(fault.status) : fault?.reason === 'MCP'
    this.#call.fail(fault && isPassedThrough ? fault : streamCut(this.#endpoint.server, fault))
  }

  /** A server sends the session id in the response to `initialize`. False if it is malformed. */
  #recordSession(headers: Headers, endpointAddress: string | undefined): boolean {
    if (this.#endpoint.era === 'modern' || this.#call.request.method !== 'initialize') return true
    const sessionId = headers.get('mcp-session-id')
    if (sessionId !== undefined && !visibleAscii.test(sessionId)) return false
    this.#endpoint.sessionId = sessionId
    // Without a session all endpoints are equal.
    if (sessionId !== undefined) this.#endpoint.endpointAddress = endpointAddress
    return true
  }
}
