import { randomInt } from 'node:crypto'
import type { Fault } from '../../model/fault.ts'
import {
  type Id,
  isNotification,
  isResponse,
  type Message,
  type Notification,
  type Request,
  type Response,
} from '../../protocols/json-rpc/message.ts'
import { type NoMessage, parseMessages } from '../../protocols/json-rpc/parse.ts'
import { readMeta, withMeta } from '../../protocols/mcp/meta.ts'
import { answerMalformed } from './http-faults.ts'
import { OpenCall } from './http-open-call.ts'
import { reportedToken, restoredReport, TaskTokens } from './http-progress.ts'
import type { Call, CallSink } from './wire.ts'

/** Takes what a server says that is for no request. */
type Rest = (message: Notification | Request) => void

/**
 * The requests under way over one wire, and whom a message is for.
 *
 * A progress token is replaced by the id of its request. One wire can carry requests of several clients, and nothing
 * keeps those from choosing the same token; and some servers report progress on a stream that belongs to no request, so
 * that the token is all there is to find the request by.
 */
export class HttpCalls {
  readonly #server: string
  readonly #open = new Map<number, OpenCall>()
  readonly #tasks = new TaskTokens()
  #lastId: number
  /** Messages that were none, answered nobody, or came after the answer. */
  skipped = 0

  /**
   * @param isResumed The session has another wire, perhaps in another process and still in use. An id must not come
   * twice in a session, and beginning anywhere keeps them apart. Ids stay small enough for servers that count in 32 bits.
   */
  constructor(server: string, isResumed: boolean) {
    this.#server = server
    this.#lastId = isResumed ? randomInt(1 << 20, 1 << 30) : 0
  }

  begin({ method, params }: Call, sink: CallSink, letGo: (isReplied: boolean) => void): OpenCall {
    const id = ++this.#lastId
    const token = readMeta(params).progressToken
    const sent = token === undefined ? params : withMeta(params, { progressToken: id })
    const call = new OpenCall({ jsonrpc: '2.0', id, method, params: sent }, token, sink, (isReplied) => {
      this.#open.delete(id)
      letGo(isReplied)
    })
    this.#open.set(id, call)
    return call
  }

  /** The one that was begun last. */
  get youngest(): OpenCall | undefined {
    let youngest: OpenCall | undefined
    for (const call of this.#open.values()) youngest = call
    return youngest
  }

  /** Their sinks learn of it once the caller of this is done. */
  failAll(fault: Fault): void {
    for (const call of [...this.#open.values()]) call.failSoon(fault)
  }

  /**
   * Reads what came and hands it to whom it is for.
   *
   * @param own The request on whose own stream it came.
   */
  take(text: Uint8Array | string, own: OpenCall | undefined, rest: Rest): void {
    const parsed = parseMessages(text)
    if ('messages' in parsed) for (const message of parsed.messages) this.#route(message, own, rest)
    else this.#broken(parsed)
  }

  #broken({ error, id }: NoMessage): void {
    const call = this.#find(id)
    if (call) call.fail(answerMalformed(this.#server, `sent an answer that is none: ${error.message}`))
    else this.skipped++
  }

  #route(message: Message, own: OpenCall | undefined, rest: Rest): void {
    if (isResponse(message)) this.#answered(message, own)
    else if (isNotification(message) && message.method === 'notifications/progress')
      this.#progressed(message, own, rest)
    else this.#pass(message, own, rest)
  }

  #answered(response: Response, own: OpenCall | undefined): void {
    const { id } = response
    const outcome = 'error' in response ? { error: response.error } : { result: response.result }
    // An error without an id answers a request that could not be read; where there is but one, it is that.
    const call = id === undefined || id === null ? own : this.#find(id)
    if (!call?.isOpen) {
      this.skipped++
      return
    }
    this.#tasks.note(call, outcome)
    call.reply(outcome)
  }

  #progressed(report: Notification, own: OpenCall | undefined, rest: Rest): void {
    const id = reportedToken(report)
    const call = this.#open.get(id)
    const token = call?.token ?? this.#tasks.get(id)
    if (token === undefined) this.skipped++
    else this.#pass(restoredReport(report, token), call ?? own, rest)
  }

  #pass(message: Notification | Request, own: OpenCall | undefined, rest: Rest): void {
    if (!own) rest(message)
    else if (own.isOpen) own.said(message)
    else this.skipped++
  }

  #find(id: Id | null | undefined): OpenCall | undefined {
    return typeof id === 'number' ? this.#open.get(id) : undefined
  }
}
