import type { Fault } from '../../model/fault.ts'
import type {
  Id,
  JsonObject,
  Notification,
  Outcome,
  Request,
  Response,
} from '../../protocols/json-rpc/message.ts'
import { isJsonObject } from '../../protocols/json/json-object.ts'
import { SUBSCRIPTION_ID_KEY } from '../../protocols/mcp/meta.ts'
import type { Call, CallSink } from './wire.ts'

/** A request that has not been answered. */
export interface StdioCall {
  readonly id: number
  readonly method: string
  readonly params: JsonObject | undefined
  readonly sink: CallSink
  /** What its client calls its progress; the server is told the id instead. */
  readonly token: Id | undefined
}

/** How many tasks may report progress after the request that began them was answered. */
const TASK_TOKENS = 256

/**
 * The requests under way to one server, and which of them a message belongs to. Progress tokens are replaced by the ids of
 * their requests: clients that know nothing of one another choose the same.
 */
export class StdioCalls {
  readonly #isShared: boolean
  readonly #open = new Map<number, StdioCall>()
  readonly #tasks = new Map<number, Id>()
  #lastId = 0
  /** Answers that nobody waited for, and progress of nothing. */
  strays = 0

  /** @param isShared Whether calls of several callers may be under way. */
  constructor(isShared = false) {
    this.#isShared = isShared
  }

  begin({ method, params }: Call, sink: CallSink): StdioCall {
    const id = ++this.#lastId
    const token = tokenOf(params)
    const call: StdioCall = {
      id,
      method,
      params: token === undefined ? params : withToken(params, id),
      sink,
      token,
    }
    this.#open.set(id, call)
    return call
  }

  /** @returns Whether it was under way until now. */
  end(call: StdioCall): boolean {
    return this.#open.delete(call.id)
  }

  /** All that are under way, which are over with this: they fail once the caller of this is done. */
  failAll(fault: Fault): void {
    for (const call of this.#open.values()) this.fail(call, fault)
  }

  /** Fails a call once the caller of this is done, unless it was given up by then. */
  fail(call: StdioCall, fault: Fault): void {
    queueMicrotask(() => {
      if (this.end(call)) call.sink.fail(fault)
    })
  }

  /** @returns Whether somebody waited for it. */
  answer(response: Response): boolean {
    const call = this.#answered(response.id, 'error' in response)
    if (!call) {
      this.strays++
      return false
    }
    this.end(call)
    const outcome: Outcome = 'error' in response ? { error: response.error } : { result: response.result }
    if (call.token !== undefined && 'result' in outcome && isJsonObject(outcome.result.task))
      this.#remember(call.id, call.token)
    call.sink.reply(outcome)
    return true
  }

  /** The call of an answer that could not be read, as far as its id could. */
  named(id: Id | null | undefined): StdioCall | undefined {
    return typeof id === 'number' ? this.#open.get(id) : undefined
  }

  /** Hands a message to the call that it belongs to, or else to `rest`. */
  said(message: Notification | Request, rest: (message: Notification | Request) => void): void {
    if (message.method === 'notifications/progress' && !('id' in message)) {
      this.#progressed(message, rest)
      return
    }
    const call = this.#subscription(message) ?? this.#youngest()
    if (call) call.sink.said(message)
    else rest(message)
  }

  #progressed(message: Notification, rest: (message: Notification) => void): void {
    const given = message.params?.progressToken
    const id = typeof given === 'string' ? Number(given) : given
    const call = typeof id === 'number' ? this.#open.get(id) : undefined
    const token = call?.token ?? (typeof id === 'number' ? this.#tasks.get(id) : undefined)
    if (token === undefined) {
      this.strays++
      return
    }
    const restored: Notification = { ...message, params: { ...message.params, progressToken: token } }
    if (call) call.sink.said(restored)
    else rest(restored)
  }

  /** An error without an id says that a request could not be read, which can only be the one there is. */
  #answered(id: Id | null | undefined, isError: boolean): StdioCall | undefined {
    if (id !== undefined && id !== null) return this.named(id)
    return isError && this.#open.size === 1 ? this.#open.values().next().value : undefined
  }

  /** What belongs to a subscription names the request that began it, and so does its end. */
  #subscription({ method, params }: Notification | Request): StdioCall | undefined {
    const meta = params?._meta
    const id = isJsonObject(meta) ? meta[SUBSCRIPTION_ID_KEY] : undefined
    const call = this.named((id ?? (method === 'notifications/cancelled' && params?.requestId)) as Id)
    return call?.method === LISTEN ? call : undefined
  }

  /** Subscriptions have nothing to do with what does not name them. */
  #youngest(): StdioCall | undefined {
    let youngest: StdioCall | undefined
    let count = 0
    for (const call of this.#open.values())
      if (call.method !== LISTEN) {
        youngest = call
        count++
      }
    // Of several callers any may be meant, and the others must not hear it.
    return this.#isShared && count > 1 ? undefined : youngest
  }

  #remember(id: number, token: Id): void {
    this.#tasks.set(id, token)
    const [oldest] = this.#tasks.keys()
    if (this.#tasks.size > TASK_TOKENS && oldest !== undefined) this.#tasks.delete(oldest)
  }
}

const LISTEN = 'subscriptions/listen'

const tokenOf = (params: JsonObject | undefined): Id | undefined => {
  const meta = params?._meta
  const token = isJsonObject(meta) ? meta.progressToken : undefined
  return typeof token === 'string' || typeof token === 'number' ? token : undefined
}

const withToken = (params: JsonObject | undefined, progressToken: number): JsonObject => ({
  ...params,
  _meta: { ...(params?._meta as JsonObject), progressToken },
})
