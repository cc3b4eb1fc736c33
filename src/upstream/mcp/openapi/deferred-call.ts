import type { Fault } from '../../model/fault.ts'
import { sessionClosed } from './http-faults.ts'
import type { OpenApiTools } from './openapi-tools.ts'
import type { CallSink } from './wire.ts'

/** A call that waits for its document. */
export class OpenApiWait {
  readonly #target: string
  readonly #sink: CallSink
  readonly #over: (wait: OpenApiWait) => void
  /** Cancels what came of it. */
  #cancel: (() => void) | undefined = undefined
  #isOver = false

  constructor(target: string, sink: CallSink, over: (wait: OpenApiWait) => void) {
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
