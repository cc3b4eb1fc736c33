import type { Fault } from '../../model/fault.ts'
import type { JsonObject } from '../../protocols/json-rpc/message.ts'
import type { OpenApiTool } from '../../protocols/openapi/open-api-tool.ts'
import { resultOf, tooLongResult } from '../../protocols/openapi/result-of.ts'
import { collectBody } from './http-collect.ts'
import { answerMalformed, sessionClosed } from './http-faults.ts'
import { codingOf } from './http-fields.ts'
import type { CallSink, SendToServer, ServerReplies, ServerReply, ServerRequest } from './wire.ts'

/** A tool call under way as an HTTP request. */
export class OpenApiCall implements ServerReplies {
  readonly #target: string
  readonly #tool: OpenApiTool
  readonly #limitBytes: number
  readonly #sink: CallSink
  readonly #over: (call: OpenApiCall) => void
  #takeBack: (() => void) | undefined = undefined
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
    const takeBack = send(request, this)
    // An answer, or giving it up, may have come before there was anything to take back.
    if (this.#isOver) takeBack()
    else this.#takeBack = takeBack
  }

  /** Nobody waits for the answer any more: the request is taken back. */
  cancel(): void {
    if (this.#isOver) return
    this.#end()
    this.#takeBack?.()
  }

  /** The session ends before the answer has come. */
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
        answerMalformed(this.#target, `answered in the content coding ${coding}, which nobody asked for`),
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
    // What is left of an answer that is too long is not waited for.
    if (!result) this.#takeBack?.()
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
