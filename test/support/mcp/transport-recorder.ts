import type { Fault } from '../../../src/model/exchange/fault.ts'
import type { Notification, Outcome, JsonRpcRequest } from '../../../src/protocols/json-rpc/message.ts'
import type { CallSink, ListenSink } from '../../../src/upstream/mcp/transport.ts'

/** Records the events of a transport, for a call or for a listener. */
export class TransportRecorder implements CallSink, ListenSink {
  readonly messages: (Notification | JsonRpcRequest)[] = []
  outcome: Outcome | undefined = undefined
  fault: Fault | undefined = undefined
  /** How often an end was reported. */
  ends = 0
  readonly #over = Promise.withResolvers<this>()
  #waiting: { readonly count: number; readonly come: () => void }[] = []
  readonly #onMessage: ((message: Notification | JsonRpcRequest) => void) | undefined

  constructor(onMessage?: (message: Notification | JsonRpcRequest) => void) {
    this.#onMessage = onMessage
  }

  /** The end, whichever it is. */
  get over(): Promise<this> {
    return this.#over.promise
  }

  onMessage(message: Notification | JsonRpcRequest): void {
    this.messages.push(message)
    for (const { count, come } of this.#waiting) if (this.messages.length >= count) come()
    this.#onMessage?.(message)
  }

  /** Resolves after so many messages. */
  has(count: number): Promise<void> {
    return this.messages.length >= count
      ? Promise.resolve()
      : new Promise((come) => this.#waiting.push({ count, come }))
  }

  reply(outcome: Outcome): void {
    this.outcome = outcome
    this.#end()
  }

  fail(fault: Fault): void {
    this.fault = fault
    this.#end()
  }

  closed(fault: Fault | undefined): void {
    this.fault = fault
    this.#end()
  }

  #end(): void {
    this.ends++
    this.#over.resolve(this)
  }
}
