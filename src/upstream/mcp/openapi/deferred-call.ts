import type { Fault } from '../../../model/exchange/fault.ts'
import { sessionClosed } from '../http/faults.ts'
import type { OpenApiTools } from './tools.ts'
import type { CallSink } from '../transport.ts'

/** A call that waits for its OpenAPI document. */
export class DeferredToolCall {
  readonly #target: string
  readonly #sink: CallSink
  readonly #over: (wait: DeferredToolCall) => void
  /** Cancels the call that it became. */
  #cancel: (() => void) | undefined = undefined
  #isOver = false

  constructor(target: string, sink: CallSink, over: (wait: DeferredToolCall) => void) {
    this.#target = target
    this.#sink = sink
    this.#over = over
  }

  start(tools: Promise<OpenApiTools>, go: (tools: OpenApiTools) => () => void): void {
    tools.then(
      (found) => {
        if (this.#end()) this.#cancel = go(found)
      },
      (fault: unknown) => {
        if (this.#end()) this.#sink.fail(fault as Fault)
      },
    )
  }

  cancel(): void {
    if (!this.#end()) this.#cancel?.()
  }

  close(): void {
    if (this.#end()) this.#sink.fail(sessionClosed(this.#target))
  }

  /** False if it was over already. */
  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#over(this)
    return true
  }
}
