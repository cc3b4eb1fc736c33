import type { Body } from '../../model/body.ts'
import type { Fault } from '../../model/fault.ts'
import type { Headers } from '../../model/headers.ts'
import type { Id, JsonObject, Notification, Outcome, Request } from '../../protocols/json-rpc/message.ts'

/** One HTTP request to a server. */
export interface ServerRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Without `host` and `content-length`. */
  readonly headers: Headers
  readonly body?: Buffer | undefined
  /** The place, of several, where the server knows what this is about. */
  readonly boundTo?: string | undefined
}

/** The head of its answer, and the bytes behind it. The body must be consumed or dropped. */
export interface ServerReply {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

/** Takes an answer: `head` once, or `fail` once. */
export interface ServerReplies {
  /** @param place Which of several places of the server's it is from. */
  head(reply: ServerReply, place?: string): void
  fail(fault: Fault): void
}

/** Sends an HTTP request through whatever policies hold for the target. The function given back takes it back. */
export type SendToServer = (request: ServerRequest, replies: ServerReplies) => () => void

/** In whose name something is sent. Wires without HTTP need none of it. */
export interface Behalf {
  /** Fields of the client's request that go on to the server. */
  readonly headers: Headers
  readonly send: SendToServer
}

/** A request on its way to a server; the wire numbers it. */
export interface Call {
  readonly method: string
  readonly params?: JsonObject | undefined
  /** Further HTTP fields that mirror the message, such as `mcp-param-*`: name, value, name, value …. */
  readonly mirrored?: readonly string[] | undefined
  /** Told if the server ends its stream before the answer and means to go on when it is asked again, which the wire does. */
  readonly pausing?: ((retryMs: number | undefined) => void) | undefined
}

/** What a server says about one call: `said`*, then `reply` or `fail`, once; nothing after it was cancelled. */
export interface CallSink {
  /** Progress, a log line, or a request of the server's own. */
  said(message: Notification | Request): void
  reply(outcome: Outcome): void
  /** `ServerRefused` if the server answered with an HTTP error; other faults if it could not be asked. */
  fail(fault: Fault): void
}

/** What a server says outside of calls. */
export interface ListenSink {
  said(message: Notification | Request): void
  /** It says nothing more: the stream ended, or the server did. */
  closed(fault: Fault | undefined): void
}

/** Learns whether a message was taken. */
export type Taken = (fault: Fault | undefined) => void

/**
 * A way to one MCP server, and at most one session with it: JSON-RPC goes in and comes out, whatever carries it. What
 * messages mean (handshakes, revisions, names) is not its business.
 */
export interface Wire {
  /** Sends a request under an id of the wire's own. Calling the function given back gives the request up and tells the server. */
  call(call: Call, behalf: Behalf, sink: CallSink): () => void
  notify(notification: Omit<Notification, 'jsonrpc'>, behalf: Behalf, taken: Taken): void
  /** Answers a request of the server's, under the server's id. */
  answer(id: Id, outcome: Outcome, behalf: Behalf, taken: Taken): void
  /** Takes what belongs to no call. One listener at a time; before it, a bounded number of messages waits. */
  listen(behalf: Behalf, sink: ListenSink): () => void
  /** A handshake has settled on this revision: `MCP-Protocol-Version` says so from now on. */
  agreed(revision: string): void
  /** The server's name for the session, if it gave one. */
  readonly sessionId: string | undefined
  /** The place, of several, where the server has the session. */
  readonly place?: string | undefined
  /** Why nothing can be sent any more, where that is known before something is. */
  readonly closed?: Fault | undefined
  /** Ends the session: DELETE over HTTP, the end of the process over stdio. Calls under way fail. May be called twice. */
  close(behalf: Behalf | undefined): void
}
