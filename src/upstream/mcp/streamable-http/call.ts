import type { Fault } from '../../model/fault.ts'
import { encodeNotification, encodeRequest } from '../../protocols/json-rpc/encode.ts'
import type { Headers } from '../../model/headers.ts'
import { ServerAsk } from './http-ask.ts'
import type { HttpCalls } from './http-calls.ts'
import { type Collected, collectBody } from './http-collect.ts'
import { answerMalformed, messageTooLarge, streamCut } from './http-faults.ts'
import { codingOf, mediaTypeOf } from './http-fields.ts'
import type { OpenCall } from './http-open-call.ts'
import { ServerRefused } from './server-refused.ts'
import type { StreamableHttpEndpoint } from './streamable-http-endpoint.ts'
import { StreamableHttpStream } from './streamable-http-stream.ts'
import type { Behalf, Call, CallSink, ServerReply } from './wire.ts'

/** Session ids are what header fields can hold and nobody can misread. */
const visibleAscii = /^[\x21-\x7e]+$/
const told = new Set([401, 403])

/** The life of one request: the POST that carries it, and the answer in one piece or as a stream. */
export class StreamableHttpCall {
  readonly #endpoint: StreamableHttpEndpoint
  readonly #calls: HttpCalls
  readonly #behalf: Behalf
  readonly #call: OpenCall
  readonly #pausing: Call['pausing']
  readonly #ask: ServerAsk
  #stream: StreamableHttpStream | undefined = undefined
  /** The answer came in one piece, and nothing is left of it. */
  #isRead = false

  constructor(
    endpoint: StreamableHttpEndpoint,
    calls: HttpCalls,
    call: Call,
    behalf: Behalf,
    sink: CallSink,
  ) {
    this.#endpoint = endpoint
    this.#calls = calls
    this.#behalf = behalf
    this.#pausing = call.pausing
    this.#ask = new ServerAsk(endpoint.server, endpoint.limits, {
      accepted: (reply, place) => this.#accepted(reply, place),
      failed: (fault) => this.#call.fail(fault),
    })
    this.#call = calls.begin(call, sink, (isReplied) => this.#letGo(isReplied))
    const { id, method, params } = this.#call.request
    const sent = { method, params, mirrored: call.mirrored }
    this.#ask.send(endpoint.post(encodeRequest(id, method, params), sent, behalf), behalf)
  }

  /** Gives the request up, and tells the server in the way of its era. */
  cancel(): void {
    if (!this.#call.giveUp()) return
    const { id, method } = this.#call.request
    // Closing the stream says it in the modern era; a handshake cannot be taken back.
    if (this.#endpoint.era === 'modern' || method === 'initialize') return
    const { server, limits } = this.#endpoint
    const text = encodeNotification('notifications/cancelled', { requestId: id })
    const ask: ServerAsk = new ServerAsk(server, limits, {
      accepted: (reply) => ask.drain(reply),
      failed: () => undefined,
    })
    ask.send(this.#endpoint.post(text, { method: 'notifications/cancelled' }, this.#behalf), this.#behalf)
  }

  #letGo(isReplied: boolean): void {
    // The end of a stream follows its last word, and the connection can be used again if it may come.
    if (isReplied && this.#stream) this.#stream.stopSoon()
    else if (this.#stream) this.#stream.stop()
    else if (!this.#isRead) this.#ask.stop()
  }

  #accepted(reply: ServerReply, place: string | undefined): void {
    const { server, limits } = this.#endpoint
    const { headers, body } = reply
    if (!this.#noteSession(headers, place)) {
      body.drop()
      this.#call.fail(answerMalformed(server, 'gave the session a name that cannot be sent'))
      return
    }
    const coding = codingOf(headers)
    const type = mediaTypeOf(headers)
    if (coding === undefined && type === 'text/event-stream') this.#stream = this.#streamFrom(reply)
    else if (coding === undefined && type === 'application/json')
      collectBody(body, limits.messageBytes, (bytes, how, fault) => this.#collected(bytes, how, fault))
    else {
      body.drop()
      const what = coding ?? type ?? `status ${reply.status} and nothing`
      this.#call.fail(answerMalformed(server, `answered with ${what} instead of a message`))
    }
  }

  #streamFrom(reply: ServerReply): StreamableHttpStream {
    const { server, limits, era } = this.#endpoint
    const stream = new StreamableHttpStream({
      server,
      limits,
      behalf: this.#behalf,
      request: (lastEventId) => this.#endpoint.get(lastEventId, this.#behalf),
      // A server may hang up and go on later as often as it likes, as long as something comes.
      opensAgain: (lastEventId, quiet) =>
        era === 'legacy' && lastEventId !== undefined && quiet < limits.reconnects,
      message: (text) => this.#said(text),
      pausing: (retryMs) => this.#pausing?.(retryMs),
      over: (fault) => this.#cut(fault),
    })
    stream.take(reply, this.#ask)
    return stream
  }

  #collected(bytes: Buffer, how: Collected, fault: unknown): void {
    const { server, limits } = this.#endpoint
    if (how === 'long') this.#call.fail(messageTooLarge(server, limits.messageBytes))
    else if (how === 'cut') this.#call.fail(streamCut(server, fault))
    else {
      this.#isRead = true
      this.#said(bytes)
      // A fault is not for nothing, and this is the way of every answer in one piece.
      if (this.#call.isOpen) this.#call.fail(answerMalformed(server, 'sent something else for the answer'))
    }
  }

  #said(text: Buffer | string): void {
    this.#calls.take(text, this.#call, () => undefined)
  }

  #cut(fault: Fault | undefined): void {
    // That it does not resume streams is no news to the caller, that it does not know the client is. That it does not know
    // the session would make the caller ask again, and the server may have done already what it was asked.
    const isTold = fault instanceof ServerRefused ? told.has(fault.status) : fault?.reason === 'MCP'
    this.#call.fail(fault && isTold ? fault : streamCut(this.#endpoint.server, fault))
  }

  /** A server names the session in the answer to the handshake. False if the name is none. */
  #noteSession(headers: Headers, place: string | undefined): boolean {
    if (this.#endpoint.era === 'modern' || this.#call.request.method !== 'initialize') return true
    const sessionId = headers.get('mcp-session-id')
    if (sessionId !== undefined && !visibleAscii.test(sessionId)) return false
    this.#endpoint.sessionId = sessionId
    // Without a session all places know as much.
    if (sessionId !== undefined) this.#endpoint.place = place
    return true
  }
}
