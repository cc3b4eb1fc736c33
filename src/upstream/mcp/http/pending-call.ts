import type { Fault } from '../../model/fault.ts'
import type { Id, Notification, Outcome, Request } from '../../protocols/json-rpc/message.ts'
import type { CallSink } from './wire.ts'

/** A request under the wire's own id. */
export type NumberedRequest = Request & { readonly id: number }

/** A request that has not been answered. Whatever ends it ends it once, and lets go of what carries it first. */
export class OpenCall {
  readonly request: NumberedRequest
  /** What the client wants progress reported under; the server is told the id instead. */
  readonly token: Id | undefined
  isOpen = true
  #isGivenUp = false
  readonly #sink: CallSink
  readonly #letGo: (isReplied: boolean) => void

  constructor(
    request: NumberedRequest,
    token: Id | undefined,
    sink: CallSink,
    letGo: (isReplied: boolean) => void,
  ) {
    this.request = request
    this.token = token
    this.#sink = sink
    this.#letGo = letGo
  }

  said(message: Notification | Request): void {
    if (this.isOpen) this.#sink.said(message)
  }

  reply(outcome: Outcome): void {
    if (this.#end(true)) this.#sink.reply(outcome)
  }

  fail(fault: Fault): void {
    if (this.#end(false)) this.#sink.fail(fault)
  }

  /** The same, but the sink learns of it once the caller of this is done. */
  failSoon(fault: Fault): void {
    if (!this.#end(false)) return
    queueMicrotask(() => {
      if (!this.#isGivenUp) this.#sink.fail(fault)
    })
  }

  /** Nobody waits for it any more. False if it was over already. */
  giveUp(): boolean {
    this.#isGivenUp = true
    return this.#end(false)
  }

  #end(isReplied: boolean): boolean {
    if (!this.isOpen) return false
    this.isOpen = false
    this.#letGo(isReplied)
    return true
  }
}
