import { randomInt } from 'node:crypto'
import type { Fault } from '../../../model/exchange/fault.ts'
import {
  type Id,
  isNotification,
  isResponse,
  type Message,
  type Notification,
  type JsonRpcRequest,
  type Response,
  type Outcome,
} from '../../../protocols/json-rpc/message.ts'
import type { NoMessage } from '../../../protocols/json-rpc/parse.ts'
import { parseMcpMessages } from '../../../protocols/mcp/parse-messages.ts'
import { readMeta, withMeta } from '../../../protocols/mcp/meta.ts'
import { responseMalformed } from './faults.ts'
import { PendingCall } from './pending-call.ts'
import type { McpCall, CallSink } from '../transport.ts'

/** Handles messages that belong to no request. */
type Rest = (message: Notification | JsonRpcRequest) => void

/**
 * The pending requests of one transport, and the routing of messages to them.
 *
 * A progress token is replaced by the id of its request. One transport can carry requests of several clients, which may
 * choose the same token; and some servers report progress on a stream that belongs to no request, so that only the
 * token identifies the request.
 */
export class PendingCalls {
  readonly #server: string
  readonly #open = new Map<number, PendingCall>()
  readonly #tasks = new TaskTokens()
  #lastId: number
  /** Messages that were malformed, matched no request, or came after its response. */
  skipped = 0

  /**
   * @param isResumed The session has another transport, perhaps in another process and still in use. An id must not be
   * used twice in a session: a random start avoids that. Ids fit in 32 bits for servers that need that.
   */
  constructor(server: string, isResumed: boolean) {
    this.#server = server
    this.#lastId = isResumed ? randomInt(1 << 20, 1 << 30) : 0
  }

  begin({ method, params }: McpCall, sink: CallSink, onEnd: (isReplied: boolean) => void): PendingCall {
    const id = ++this.#lastId
    const token = readMeta(params).progressToken
    const sent = token === undefined ? params : withMeta(params, { progressToken: id })
    const call = new PendingCall({ jsonrpc: '2.0', id, method, params: sent }, token, sink, (isReplied) => {
      this.#open.delete(id)
      onEnd(isReplied)
    })
    this.#open.set(id, call)
    return call
  }

  /** The call that was begun last. */
  get youngest(): PendingCall | undefined {
    let youngest: PendingCall | undefined
    for (const call of this.#open.values()) youngest = call
    return youngest
  }

  /** Fails all calls once the caller has returned. */
  failAll(fault: Fault): void {
    for (const call of [...this.#open.values()]) call.failSoon(fault)
  }

  /**
   * Parses messages and routes them.
   *
   * @param own The request on whose own stream they came.
   */
  take(text: Uint8Array | string, own: PendingCall | undefined, rest: Rest): void {
    const parsed = parseMcpMessages(text)
    if ('messages' in parsed) for (const message of parsed.messages) this.#route(message, own, rest)
    else this.#broken(parsed)
  }

  #broken({ error, id }: NoMessage): void {
    const call = this.#find(id)
    if (call) call.fail(responseMalformed(this.#server, `sent an answer that is none: ${error.message}`))
    else this.skipped++
  }

  #route(message: Message, own: PendingCall | undefined, rest: Rest): void {
    if (isResponse(message)) this.#callFor(message, own)
    else if (isNotification(message) && message.method === 'notifications/progress')
      this.#progressed(message, own, rest)
    else this.#pass(message, own, rest)
  }

  #callFor(response: Response, own: PendingCall | undefined): void {
    const { id } = response
    const outcome = 'error' in response ? { error: response.error } : { result: response.result }
    // An error without an id responds to a request that could not be parsed: on its own stream that is its request.
    const call = id === undefined || id === null ? own : this.#find(id)
    if (!call?.isOpen) {
      this.skipped++
      return
    }
    this.#tasks.record(call, outcome)
    call.reply(outcome)
  }

  #progressed(report: Notification, own: PendingCall | undefined, rest: Rest): void {
    const id = reportedToken(report)
    const call = this.#open.get(id)
    const token = call?.token ?? this.#tasks.get(id)
    if (token === undefined) this.skipped++
    else this.#pass(restoredReport(report, token), call ?? own, rest)
  }

  #pass(message: Notification | JsonRpcRequest, own: PendingCall | undefined, rest: Rest): void {
    if (!own) rest(message)
    else if (own.isOpen) own.onMessage(message)
    else this.skipped++
  }

  #find(id: Id | null | undefined): PendingCall | undefined {
    return typeof id === 'number' ? this.#open.get(id) : undefined
  }
}

/** Limit of stored tokens of tasks; the oldest are dropped first. */
const MOST_TASKS = 256

/** @returns The transport's token in a progress notification. Some servers make a string of the number. */
const reportedToken = ({ params }: Notification): number => {
  const token = params?.progressToken
  return typeof token === 'string' || typeof token === 'number' ? Number(token) : Number.NaN
}

/** The notification with the client's token. */
const restoredReport = (report: Notification, token: Id): Notification => ({
  ...report,
  params: { ...report.params, progressToken: token },
})

/** Tokens that outlive their request: a task reports progress after the response to the request that began it. */
class TaskTokens {
  readonly #tokens = new Map<number, Id>()

  /** Stores the token of a request whose result is a running task. */
  record({ request, token }: PendingCall, outcome: Outcome): void {
    if (token === undefined || !('result' in outcome) || !isTask(outcome.result.task)) return
    this.#tokens.set(request.id, token)
    if (this.#tokens.size <= MOST_TASKS) return
    for (const oldest of this.#tokens.keys()) {
      this.#tokens.delete(oldest)
      return
    }
  }

  get(id: number): Id | undefined {
    return this.#tokens.get(id)
  }
}

const isTask = (value: unknown): boolean => typeof value === 'object' && value !== null
