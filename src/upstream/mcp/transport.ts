import type { Body } from '../../model/exchange/body.ts'
import type { Fault } from '../../model/exchange/fault.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import type {
  Id,
  JsonObject,
  Notification,
  Outcome,
  JsonRpcRequest,
} from '../../protocols/json-rpc/message.ts'

/** One HTTP request to a server. */
export interface ServerRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Without `host` and `content-length`. */
  readonly headers: Headers
  readonly body?: Buffer | undefined
  /** The endpoint, of several, that has the session or call. */
  readonly boundTo?: string | undefined
}

/** The response: its head and body. The body must be consumed or dropped. */
export interface ServerReply {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

/** Handles a response: `head` once, or `fail` once. */
export interface ServerReplies {
  /** @param endpointAddress The endpoint, of several, that sent it. */
  head(reply: ServerReply, endpointAddress?: string): void
  fail(fault: Fault): void
}

/** Sends an HTTP request through the policies of the target. The returned function cancels it. */
export type SendToServer = (request: ServerRequest, replies: ServerReplies) => () => void

/** The context of a message: the client's request that it is sent for. Transports without HTTP ignore it. */
export interface RequestContext {
  /** Headers of the client's request that are forwarded. */
  readonly headers: Headers
  readonly send: SendToServer
  /** Of the client's request; undefined for messages of the gateway's own. */
  readonly requestId?: number | undefined
}

/** A request to a server; the transport numbers it. */
export interface McpCall {
  readonly method: string
  readonly params?: JsonObject | undefined
  /** Further HTTP headers that mirror the message, such as `mcp-param-*`: name, value, name, value …. */
  readonly mirrored?: readonly string[] | undefined
  /** Called if the server closes its stream before the response to resume it later, which the transport does. */
  readonly pausing?: ((retryMs: number | undefined) => void) | undefined
}

/** Messages of a server about one call: `onMessage`*, then `reply` or `fail`, once; nothing after a cancellation. */
export interface CallSink {
  /** Progress, a log message, or a request of the server. */
  onMessage(message: Notification | JsonRpcRequest): void
  reply(outcome: Outcome): void
  /** `ServerRefused` for an HTTP error of the server; other faults if it could not be reached. */
  fail(fault: Fault): void
}

/** Messages of a server outside of calls. */
export interface ListenSink {
  onMessage(message: Notification | JsonRpcRequest): void
  /** No more messages: the stream or the server ended. */
  closed(fault: Fault | undefined): void
}

/** Called when a message was accepted, or with the fault. */
export type OnSent = (fault: Fault | undefined) => void

/**
 * A transport to one MCP server, with at most one session: JSON-RPC in and out, whatever carries it. It does not
 * interpret messages (handshakes, revisions, names).
 */
export interface Transport {
  /** Sends a request under the transport's own id. The returned function cancels the request and informs the server. */
  call(call: McpCall, context: RequestContext, sink: CallSink): () => void
  notify(notification: Omit<Notification, 'jsonrpc'>, context: RequestContext, onSent: OnSent): void
  /** Responds to a request of the server, under the server's id. */
  respond(id: Id, outcome: Outcome, context: RequestContext, onSent: OnSent): void
  /**
   * Receives messages that belong to no call. One listener at a time; a bounded number of messages is buffered before
   * it.
   */
  listen(context: RequestContext, sink: ListenSink): () => void
  /** A handshake agreed on this revision: it is sent as `MCP-Protocol-Version` from now on. */
  agreed(revision: string): void
  /** The server's session id, if any. */
  readonly sessionId: string | undefined
  /** The endpoint, of several, that has the session. */
  readonly endpointAddress?: string | undefined
  /** The process id of a program that runs. */
  readonly pid?: number | undefined
  /** Why nothing more can be sent, if known. */
  readonly closed?: Fault | undefined
  /** Whether it has no pending call and no listener. Undefined where an idle transport holds nothing open. */
  readonly isIdle?: boolean | undefined
  /**
   * Ends the session: DELETE over HTTP, the end of the process over stdio. Pending calls fail. May be called twice.
   *
   * @param onResponse Gets the status of the response to DELETE, or undefined if there was none; not called where none
   * is sent.
   */
  close(context: RequestContext | undefined, onResponse?: (status: number | undefined) => void): void
}
