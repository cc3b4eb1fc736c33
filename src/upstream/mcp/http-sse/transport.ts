import type { Fault } from '../../model/fault.ts'
import { encodeNotification, encodeRequest, encodeResponse } from '../../protocols/json-rpc/encode.ts'
import type { Id, Notification, Outcome } from '../../protocols/json-rpc/message.ts'
import { ServerAsk } from './http-ask.ts'
import { HttpCalls } from './http-calls.ts'
import { sessionClosed, streamCut } from './http-faults.ts'
import { fieldsOf } from './http-fields.ts'
import { type HttpWireLimits, httpWireLimits } from './http-limits.ts'
import { LegacySseOutbox, type LegacySsePost } from './legacy-sse-outbox.ts'
import { LegacySseStream } from './legacy-sse-stream.ts'
import { StdioMailbox } from './stdio-mailbox.ts'
import type { Behalf, Call, CallSink, ListenSink, Taken, Wire } from './wire.ts'

/** What is known of a server before anything was said. */
export interface LegacySseOptions {
  readonly limits?: Partial<HttpWireLimits> | undefined
}

/**
 * The HTTP transport before streamable HTTP: one GET stream brings everything the server says, and begins with where it
 * takes messages by POST. What is sent first opens the stream, in whose name that is; it is the session, and when it ends
 * everything fails with its fault. Whoever wants another session makes another wire.
 *
 * Messages that name no call go to the youngest one, since that is the one that is most likely meant, and to the listener
 * if there is none. What goes wrong is told after the method that led to it has returned.
 */
export class LegacySseWire implements Wire {
  /** The session is a connection: nobody else could go on with it. */
  readonly sessionId = undefined
  readonly #server: string
  readonly #path: string
  readonly #limits: HttpWireLimits
  readonly #calls: HttpCalls
  readonly #outbox: LegacySseOutbox
  readonly #mailbox: StdioMailbox
  #stream: LegacySseStream | undefined = undefined
  #revision: string | undefined = undefined
  /** Where, of several places, the stream comes from. */
  #place: string | undefined = undefined

  /** @param path Path and query of the stream. */
  constructor(target: string, path: string, { limits }: LegacySseOptions = {}) {
    this.#server = target
    this.#path = path
    this.#limits = { ...httpWireLimits, ...limits }
    this.#calls = new HttpCalls(target, false)
    this.#outbox = new LegacySseOutbox(target, this.#limits.waiting)
    this.#mailbox = new StdioMailbox(this.#limits.waiting, () => this.#calls.skipped++)
  }

  /** Why nothing can be sent any more. */
  get closed(): Fault | undefined {
    return this.#outbox.fault
  }

  /** Messages of the server's that could not be read, or were for nobody. */
  get skipped(): number {
    return this.#calls.skipped
  }

  agreed(revision: string): void {
    this.#revision = revision
  }

  call(call: Call, behalf: Behalf, sink: CallSink): () => void {
    let takeBack = (): boolean => false
    const begun = this.#calls.begin(call, sink, (isReplied) => {
      // An answer may overtake the word that the request was taken, which leaves the connection usable.
      if (!isReplied) isUnsent = takeBack()
    })
    let isUnsent = false
    const { id, method, params } = begun.request
    takeBack = this.#post(encodeRequest(id, method, params), behalf, (fault) => {
      if (fault) begun.fail(fault)
    })
    return () => {
      if (!begun.giveUp()) return
      // What was never sent need not be cancelled, and a handshake must not be.
      if (isUnsent || method === 'initialize') return
      this.#post(encodeNotification('notifications/cancelled', { requestId: id }), behalf, () => undefined)
    }
  }

  notify({ method, params }: Omit<Notification, 'jsonrpc'>, behalf: Behalf, taken: Taken): void {
    this.#post(encodeNotification(method, params), behalf, taken)
  }

  answer(id: Id, outcome: Outcome, behalf: Behalf, taken: Taken): void {
    this.#post(encodeResponse(id, outcome), behalf, taken)
  }

  /** The listener before this one is closed. */
  listen(behalf: Behalf, sink: ListenSink): () => void {
    this.#open(behalf)
    return this.#mailbox.listen(sink)
  }

  close(): void {
    this.#stream?.stop()
    this.#end(sessionClosed(this.#server), undefined)
  }

  /** The function given back takes the message back; it says whether that was before it went out. */
  #post(text: string, behalf: Behalf, taken: Taken): () => boolean {
    let isOver = false
    const over = (fault: Fault | undefined) => {
      if (isOver) return
      isOver = true
      taken(fault)
    }
    const ask: ServerAsk = new ServerAsk(this.#server, this.#limits, {
      accepted: (reply) => {
        ask.drain(reply)
        over(undefined)
      },
      failed: over,
    })
    const post: LegacySsePost = { send: (path) => this.#send(ask, path, text, behalf), fail: over }
    this.#open(behalf)
    this.#outbox.put(post)
    return () => {
      isOver = true
      const isUnsent = this.#outbox.takeBack(post)
      if (!isUnsent) ask.stop()
      return isUnsent
    }
  }

  #send(ask: ServerAsk, target: string, text: string, behalf: Behalf): void {
    const fields = [
      'content-type',
      'application/json',
      'accept',
      'application/json',
      'accept-encoding',
      'identity',
    ]
    if (this.#revision !== undefined) fields.push('mcp-protocol-version', this.#revision)
    const headers = fieldsOf(fields, behalf.headers)
    ask.send({ method: 'POST', target, headers, body: Buffer.from(text), boundTo: this.#place }, behalf)
  }

  #open(behalf: Behalf): void {
    if (this.#stream || this.#outbox.fault) return
    const headers = fieldsOf(['accept', 'text/event-stream', 'accept-encoding', 'identity'], behalf.headers)
    const request = { method: 'GET', target: this.#path, headers }
    this.#stream = new LegacySseStream(this.#server, this.#limits, request, {
      endpoint: (path, place) => {
        this.#place = place
        this.#outbox.open(path)
      },
      message: (text) => this.#take(text),
      over: (fault) => this.#over(fault),
    })
    this.#stream.open(behalf)
  }

  #take(text: string): void {
    this.#calls.take(text, undefined, (message) => {
      const call = this.#calls.youngest
      if (call) call.said(message)
      else this.#mailbox.put(message)
    })
  }

  #over(fault: Fault | undefined): void {
    this.#end(fault ?? streamCut(this.#server), fault)
  }

  /** @param why What a listener is told: nothing if the end was in good order. */
  #end(fault: Fault, why: Fault | undefined): void {
    this.#outbox.close(fault)
    this.#calls.failAll(fault)
    this.#mailbox.close(why)
  }
}
