import type { Fault } from '../../../model/exchange/fault.ts'
import type {
  Id,
  JsonObject,
  Notification,
  Outcome,
  JsonRpcRequest,
  Response,
} from '../../../protocols/json-rpc/message.ts'
import { isJsonObject } from '../../../protocols/json/json-object.ts'
import { SUBSCRIPTION_ID_KEY } from '../../../protocols/mcp/meta.ts'
import type { McpCall, CallSink } from '../transport.ts'

/** A request without a response yet. */
export interface StdioCall {
  readonly id: number
  readonly method: string
  readonly params: JsonObject | undefined
  readonly sink: CallSink
  /** The client's progress token; the server gets the id instead. */
  readonly token: Id | undefined
}

/** Tasks that may report progress after the response to their request. */
const TASK_TOKENS = 256

/**
 * The pending requests of one server, and the routing of messages to them. Progress tokens are replaced by the ids of
 * their requests, since independent clients may choose the same.
 */
export class StdioCalls {
  readonly #open = new Map<number, StdioCall>()
  readonly #tasks = new Map<number, Id>()
  #lastId = 0
  /** Responses and progress that matched no request. */
  unmatched = 0
  /** Whether calls of several callers may be pending. */
  isShared: boolean

  constructor(isShared = false) {
    this.isShared = isShared
  }

  /** Number of pending calls. */
  get pending(): number {
    return this.#open.size
  }

  begin({ method, params }: McpCall, sink: CallSink): StdioCall {
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

  /** @returns Whether it was pending. */
  end(call: StdioCall): boolean {
    return this.#open.delete(call.id)
  }

  /** Fails all pending calls once the caller has returned. */
  failAll(fault: Fault): void {
    for (const call of this.#open.values()) this.fail(call, fault)
  }

  /** Fails a call once the caller has returned, unless it was cancelled by then. */
  fail(call: StdioCall, fault: Fault): void {
    queueMicrotask(() => {
      if (this.end(call)) call.sink.fail(fault)
    })
  }

  /** @returns Whether it matched a request. */
  resolve(response: Response): boolean {
    const call = this.#callFor(response.id, 'error' in response)
    if (!call) {
      this.unmatched++
      return false
    }
    this.end(call)
    const outcome: Outcome = 'error' in response ? { error: response.error } : { result: response.result }
    if (call.token !== undefined && 'result' in outcome && isJsonObject(outcome.result.task))
      this.#keepToken(call.id, call.token)
    call.sink.reply(outcome)
    return true
  }

  /** The call of a response that could not be parsed, if its id could. */
  named(id: Id | null | undefined): StdioCall | undefined {
    return typeof id === 'number' ? this.#open.get(id) : undefined
  }

  /** Passes a message to its call, or else to `rest`. */
  route(
    message: Notification | JsonRpcRequest,
    rest: (message: Notification | JsonRpcRequest) => void,
  ): void {
    if (message.method === 'notifications/progress' && !('id' in message)) {
      this.#progressed(message, rest)
      return
    }
    const call = this.#subscription(message) ?? this.#youngest()
    if (call) call.sink.onMessage(message)
    else rest(message)
  }

  #progressed(message: Notification, rest: (message: Notification) => void): void {
    const given = message.params?.progressToken
    const id = typeof given === 'string' ? Number(given) : given
    const call = typeof id === 'number' ? this.#open.get(id) : undefined
    const token = call?.token ?? (typeof id === 'number' ? this.#tasks.get(id) : undefined)
    if (token === undefined) {
      this.unmatched++
      return
    }
    const restored: Notification = { ...message, params: { ...message.params, progressToken: token } }
    if (call) call.sink.onMessage(restored)
    else rest(restored)
  }

  /** An error without an id means that a request could not be parsed: the only pending one. */
  #callFor(id: Id | null | undefined, isError: boolean): StdioCall | undefined {
    if (id !== undefined && id !== null) return this.named(id)
    return isError && this.#open.size === 1 ? this.#open.values().next().value : undefined
  }

  /** Messages of a subscription name its request, and so does its end. */
  #subscription({ method, params }: Notification | JsonRpcRequest): StdioCall | undefined {
    const meta = params?._meta
    const id = isJsonObject(meta) ? meta[SUBSCRIPTION_ID_KEY] : undefined
    const call = this.named((id ?? (method === 'notifications/cancelled' && params?.requestId)) as Id)
    return call?.method === LISTEN ? call : undefined
  }

  /** Messages without a subscription id belong to no subscription. */
  #youngest(): StdioCall | undefined {
    let youngest: StdioCall | undefined
    let count = 0
    for (const call of this.#open.values())
      if (call.method !== LISTEN) {
        youngest = call
        count++
      }
    // With several callers any could be the right one, and the others must not get the message.
    return this.isShared && count > 1 ? undefined : youngest
  }

  #keepToken(id: number, token: Id): void {
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
