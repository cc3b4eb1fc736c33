import type { Fault } from '../../../model/exchange/fault.ts'
import type { Id, Notification, Outcome, JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import type { CallSink } from '../transport.ts'

/** A request under the transport's own id. */
export type NumberedRequest = JsonRpcRequest & { readonly id: number }

/** A request without a response yet. It ends once, and releases its connection first. */
export class PendingCall {
  readonly request: NumberedRequest
  /** The client's progress token; the server gets the id instead. */
  readonly token: Id | undefined
  isOpen = true
  #isGivenUp = false
  readonly #sink: CallSink
  readonly #onEnd: (isReplied: boolean) => void

  constructor(
    request: NumberedRequest,
    token: Id | undefined,
    sink: CallSink,
    onEnd: (isReplied: boolean) => void,
  ) {
    this.request = request
    this.token = token
    this.#sink = sink
    this.#onEnd = onEnd
  }

  onMessage(message: Notification | JsonRpcRequest): void {
    if (this.isOpen) this.#sink.onMessage(message)
  }

  reply(outcome: Outcome): void {
    if (this.#end(true)) this.#sink.reply(outcome)
  }

  fail(fault: Fault): void {
    if (this.#end(false)) this.#sink.fail(fault)
  }

  /** As `fail`, but the sink is called once the caller has returned. */
  failSoon(fault: Fault): void {
    if (!this.#end(false)) return
    queueMicrotask(() => {
      if (!this.#isGivenUp) this.#sink.fail(fault)
    })
  }

  /** Cancels it. False if it was over already. */
  abandon(): boolean {
    this.#isGivenUp = true
    return this.#end(false)
  }

  #end(isReplied: boolean): boolean {
    if (!this.isOpen) return false
    this.isOpen = false
    this.#onEnd(isReplied)
    return true
  }
}
