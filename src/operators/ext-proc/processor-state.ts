import { Fault } from '../../model/exchange/fault.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { ProcessingResponsePart, ProcessingRequestPart } from './processing-messages.ts'
import type { Direction } from './processing-mode.ts'
import { messageTimeout, invalidResponse, type ProcessorFault } from './processor-fault.ts'

/** The part of a processor stream that both directions share. */
export interface ProcessorHandle {
  /** No more messages follow, in either direction. */
  readonly isClosed: boolean
  /** The reason why it closed, unless the failure may be ignored because the processor has received no body. */
  readonly failure: ProcessorFault | undefined
  /** False if the stream is full: pause until `onDrain`. */
  send(part: ProcessingRequestPart): boolean
  onDrain(resume: () => void): void
  /** Responses are not read while any holder has paused the stream. */
  pause(holder: object): void
  resume(holder: object): void
  /** Calls back once the processor is connected; never if the connection fails. */
  onConnect(callback: () => void): void
  /** Ends the stream with a failure. */
  fail(fault: ProcessorFault): void
  /** Cuts the reply: the client must not take the received part for the whole. */
  cut(fault: ProcessorFault): void
  /** A direction has sent everything. */
  finished(): void
}

/** Handles a processor's responses while a body flows. */
export interface BodyHandler {
  onResponse(response: ProcessingResponsePart): void
  broke(fault: unknown): void
  /** Whether the whole body is still buffered. */
  readonly canBypass: boolean
  /** From now on chunks pass unchanged, also those already sent. */
  bypass(): void
}

/** An immediate response of the processor, thrown to callers that wait for another response. */
export class Interruption extends Fault {
  readonly reply: Reply

  constructor(reply: Reply) {
    super('ext_proc_immediate', 'the processor answered itself', { status: reply.status, reason: 'ExtProc' })
    this.reply = reply
  }
}

/** One direction of a processor stream, and the call that is pending in it. */
export class ProcessorState {
  readonly direction: Direction
  readonly stream: ProcessorHandle
  /** Parts of the body have been sent. */
  handedOver = false
  #isBegun = false
  #isDone = false
  #handler: BodyHandler | undefined = undefined
  #pending:
    | (PromiseWithResolvers<ProcessingResponsePart> & { readonly part: ProcessingResponsePart['part'] })
    | undefined = undefined
  /** Responses that arrived together with the previous one. */
  readonly #early: ProcessingResponsePart[] = []
  readonly #messageTimeoutMs: number | undefined
  #timer: NodeJS.Timeout | undefined = undefined

  /** @param messageTimeoutMs How long the processor may take for a response. */
  constructor(direction: Direction, stream: ProcessorHandle, messageTimeoutMs: number | undefined) {
    this.direction = direction
    this.stream = stream
    this.#messageTimeoutMs = messageTimeoutMs
  }

  /** Nothing more is sent, and no response is pending. */
  get isDone(): boolean {
    return this.#isDone
  }

  get isPending(): boolean {
    return this.#pending !== undefined
  }

  get isFlowing(): boolean {
    return this.#handler !== undefined && !this.#isDone
  }

  /**
   * Waits for the next response of the processor, which has to be about this part.
   *
   * @param isUntimed The timeout does not run: the processor may be waiting for the sender of the body.
   * @throws ProcessorFault, or Interruption.
   */
  async awaitResponse<P extends ProcessingResponsePart['part']>(
    part: P,
    isUntimed = false,
  ): Promise<Extract<ProcessingResponsePart, { readonly part: P }>> {
    const { isClosed, failure: obstacle } = this.stream
    if (isClosed) {
      if (obstacle) throw obstacle
      return unchanged(part) as Extract<ProcessingResponsePart, { readonly part: P }>
    }
    this.#isBegun = true
    if (!isUntimed) this.startTimeout()
    const pending = { part, ...Promise.withResolvers<ProcessingResponsePart>() }
    this.#pending = pending
    const early = this.#early.shift()
    if (early) this.onResponse(early)
    return (await pending.promise) as Extract<ProcessingResponsePart, { readonly part: P }>
  }

  /** From now on all responses go to a handler. */
  listen(handler: BodyHandler): void {
    this.#handler = handler
    for (const response of this.#early.splice(0)) handler.onResponse(response)
  }

  /** The processor has sent a response. */
  onResponse(response: ProcessingResponsePart): void {
    const pending = this.#pending
    if (pending?.part === response.part) {
      this.#pending = undefined
      this.stopTimeout()
      pending.resolve(response)
    } else if (this.#handler && !pending) {
      // Responses about a body that the processor has cut short itself may still follow.
      if (!this.#isDone) this.#handler.onResponse(response)
    } else if (pending || !this.#isBegun || this.#isDone || this.#early.push(response) > EARLY_LIMIT)
      this.stream.fail(invalidResponse('the processor spoke of what it was not shown'))
  }

  /** Whether the direction can continue without the pending responses. */
  get canBypass(): boolean {
    return this.#isDone || (this.#handler?.canBypass ?? true)
  }

  /** The processor has ended the stream: everything without a response stays unchanged. */
  bypass(): void {
    const pending = this.#pending
    this.#pending = undefined
    pending?.resolve(unchanged(pending.part))
    if (!this.#isDone) this.#handler?.bypass()
  }

  /** No more responses will come. */
  broke(why: unknown): void {
    this.stopTimeout()
    const pending = this.#pending
    this.#pending = undefined
    pending?.reject(why)
    if (!this.#isDone) this.#handler?.broke(why)
  }

  finish(): void {
    if (this.#isDone) return
    this.#isDone = true
    this.stopTimeout()
    this.stream.finished()
  }

  /** Starts the message timeout. */
  startTimeout(): void {
    const limitMs = this.#messageTimeoutMs
    this.stopTimeout()
    if (limitMs !== undefined)
      this.#timer = setTimeout(() => this.stream.fail(messageTimeout(limitMs)), limitMs)
  }

  /** Stops the message timeout. */
  stopTimeout(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

/** More messages than any processor sends at once. */
const EARLY_LIMIT = 64

const unchanged = (part: ProcessingResponsePart['part']): ProcessingResponsePart => {
  if (part === 'trailers') return { part, mutation: undefined }
  if (part === 'body') return { part, response: undefined }
  return { part, response: undefined, metadata: undefined, override: undefined }
}
