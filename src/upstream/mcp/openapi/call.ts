import type { Fault } from '../../../model/exchange/fault.ts'
import type { JsonObject } from '../../../protocols/json-rpc/message.ts'
import type { OpenApiTool } from '../../../protocols/openapi/open-api-tool.ts'
import { resultOf, tooLongResult } from '../../../protocols/openapi/tool-result.ts'
import { collectBody } from '../http/read-body.ts'
import { responseMalformed, sessionClosed } from '../http/faults.ts'
import { codingOf } from '../http/headers.ts'
import type { CallSink, SendToServer, ServerReplies, ServerReply, ServerRequest } from '../transport.ts'

/** A tool call as an HTTP request. */
export class OpenApiCall implements ServerReplies {
  readonly #target: string
  readonly #tool: OpenApiTool
  readonly #limitBytes: number
  readonly #sink: CallSink
  readonly #over: (call: OpenApiCall) => void
  #cancelRequest: (() => void) | undefined = undefined
  #isOver = false

  constructor(
    target: string,
    tool: OpenApiTool,
    limitBytes: number,
    sink: CallSink,
    over: (call: OpenApiCall) => void,
  ) {
    this.#target = target
    this.#tool = tool
    this.#limitBytes = limitBytes
    this.#sink = sink
    this.#over = over
  }

  start(request: ServerRequest, send: SendToServer): void {
    const cancel = send(request, this)
    // The response, or a cancellation, may have come before `send` returned.
    if (this.#isOver) cancel()
    else this.#cancelRequest = cancel
  }

  /** Cancels the call and its request. */
  cancel(): void {
    if (this.#isOver) return
    this.#end()
    this.#cancelRequest?.()
  }

  /** The session ends before the response. */
  close(): void {
    if (this.#isOver) return
    this.cancel()
    this.#sink.fail(sessionClosed(this.#target))
  }

  head({ status, headers, body }: ServerReply): void {
    if (this.#isOver) {
      body.drop()
      return
    }
    const coding = codingOf(headers)
    if (coding !== undefined) {
      body.drop()
      this.fail(
        responseMalformed(this.#target, `answered in the content coding ${coding}, which nobody asked for`),
      )
      return
    }
    collectBody(body, this.#limitBytes, (bytes, how, fault) => {
      if (how === 'cut') this.fail(fault as Fault)
      else if (this.#end())
        this.#reply(how === 'whole' ? resultOf(this.#tool.name, status, headers, bytes) : undefined)
    })
  }

  fail(fault: Fault): void {
    if (this.#end()) this.#sink.fail(fault)
  }

  #reply(result: JsonObject | undefined): void {
    // The rest of a response that is too long is not read.
    if (!result) this.#cancelRequest?.()
    this.#sink.reply({ result: result ?? tooLongResult(this.#tool.name, this.#limitBytes) })
  }

  /** False if it was over already. */
  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#over(this)
    return true
  }
}
