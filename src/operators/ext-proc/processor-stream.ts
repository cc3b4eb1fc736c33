import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Fault } from '../../model/exchange/fault.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { PendingWork, PendingWorkEvents } from '../../pipeline/keep-open.ts'
import {
  ExternalProcessor,
  type ImmediateResponse,
  type ProcessingRequestSchema,
  type ProcessingResponse,
} from '../../protocols/grpc/ext-proc.gen.ts'
import type { GrpcEvents, MessageStream } from '../../upstream/grpc/grpc-stream.ts'
import { Uncallable } from '../callout/uncallable.ts'
import { immediateReply } from './immediate-response.ts'
import { Interruption, ProcessorState, type ProcessorHandle } from './processor-state.ts'
import type { ProcessorStreamOptions } from './processor-stream-options.ts'
import { processingResponseOf, type ProcessingRequestPart } from './processing-messages.ts'
import { type ExchangeModes, protocolConfig } from './processing-mode.ts'
import {
  unavailable,
  invalidResponse,
  exchangeTimeout,
  ProcessorFault,
  processingNotPossible,
} from './processor-fault.ts'

/**
 * The gRPC stream to a processor for one exchange, shared by both directions.
 *
 * It opens with the first message. It is closed in order once nothing is left to be sent; if the exchange ends before
 * that, it is cancelled.
 */
export class ProcessorStream implements PendingWork, ProcessorHandle, GrpcEvents<ProcessingResponse> {
  modes: ExchangeModes
  context: ProcessorStreamOptions['context']
  /** Sent with the next message. */
  attributes: JsonObject | undefined = undefined
  readonly allowsOverride: boolean
  readonly replacesFields: boolean
  readonly onMetadata: ProcessorStreamOptions['onMetadata']
  readonly request: ProcessorState
  readonly reply: ProcessorState
  /** The immediate response of the processor, until a stage has taken it. */
  interruption: Reply | undefined = undefined
  /** The body of the request, while it flows. */
  upload: { stopPausing(): void } | undefined = undefined
  /** Why the processor failed. */
  fault: ProcessorFault | undefined = undefined
  readonly #x: Exchange
  readonly #options: ProcessorStreamOptions
  #stream: MessageStream<MessageInitShape<typeof ProcessingRequestSchema>> | undefined = undefined
  /** No more messages follow, in either direction. */
  #isClosed = false
  #hasEnded = false
  #hasResponded = false
  #events: PendingWorkEvents | undefined = undefined
  readonly #pausedBy = new Set<object>()
  readonly #cancelCallbacks: (() => void)[] = []
  #grace: NodeJS.Timeout | undefined = undefined
  #limit: NodeJS.Timeout | undefined = undefined

  constructor(x: Exchange, options: ProcessorStreamOptions) {
    this.#x = x
    this.#options = options
    this.modes = options.modes
    this.context = options.context
    this.allowsOverride = options.allowsOverride
    this.replacesFields = options.replacesFields
    this.onMetadata = options.onMetadata
    this.request = new ProcessorState('request', this, options.messageTimeoutMs)
    this.reply = new ProcessorState('reply', this, options.messageTimeoutMs)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get failure(): ProcessorFault | undefined {
    const { fault } = this
    return fault?.isOfTransport && this.#options.failsOpen ? undefined : fault
  }

  get isOver(): boolean {
    return this.reply.isDone || this.#isClosed
  }

  follow(events: PendingWorkEvents): void {
    this.#events = events
  }

  /** Sets the time that is left for the exchange, in milliseconds. */
  limit(leftMs: number): void {
    this.#limit = setTimeout(() => this.fail(exchangeTimeout()), leftMs)
  }

  send(part: ProcessingRequestPart): boolean {
    if (this.#isClosed) return true
    const isFirst = !this.#stream
    this.#stream ??= this.#options.service.stream(ExternalProcessor.method.process, this, {
      timeoutMs: undefined,
      about: this.#x,
      signal: this.#x.signal,
      metadata: this.#options.initial,
    })
    const { attributes } = this
    this.attributes = undefined
    return this.#stream.send({
      request: part,
      metadataContext: { filterMetadata: this.context },
      ...(attributes && { attributes: { 'envoy.filters.http.ext_proc': attributes } }),
      ...(isFirst && { protocolConfig: protocolConfig(this.modes) }),
    })
  }

  onDrain(resume: () => void): void {
    if (this.#isClosed) resume()
    else this.#stream?.onDrain(resume)
  }

  pause(holder: object): void {
    if (this.#isClosed) return
    this.#pausedBy.add(holder)
    this.#stream?.pause()
  }

  resume(holder: object): void {
    if (this.#pausedBy.delete(holder) && this.#pausedBy.size === 0) this.#stream?.resume()
  }

  onConnect(callback: () => void): void {
    const stop = this.#options.service.onConnected(() => {
      if (!this.#isClosed) callback()
    })
    this.#cancelCallbacks.push(stop)
  }

  message(message: ProcessingResponse): void {
    if (this.#isClosed) return
    if (message.response.case === 'immediateResponse') {
      this.#interrupt(message.response.value)
      return
    }
    const decoded = processingResponseOf(message)
    if (decoded) {
      this.#hasResponded = true
      this[decoded.direction].onResponse(decoded.response)
    } else this.fail(invalidResponse('the processor said nothing'))
  }

  ended(fault?: Fault): void {
    this.#hasEnded = true
    clearTimeout(this.#grace)
    if (this.#isClosed) return
    const states = [this.request, this.reply]
    const isDue = states.some((state) => state.isPending || state.isFlowing)
    // A processor that has responded may close the stream early, whatever was sent meanwhile.
    if (fault || (isDue && !(this.#hasResponded && states.every((state) => state.canBypass)))) {
      this.fail(fault instanceof Uncallable ? processingNotPossible(fault) : unavailable(fault))
      return
    }
    this.#close()
    for (const state of states) state.bypass()
  }

  /**
   * Rejects the pending calls. A reply that flows already is cut, and a request body only if there is no other way to
   * report the failure.
   */
  fail(fault: ProcessorFault): void {
    if (this.#isClosed) return
    this.fault = fault
    const { reply, request } = this
    const [isPending, isFlowing] = [reply.isPending, reply.isFlowing]
    this.release()
    if (isPending || isFlowing) reply.broke(fault)
    else request.broke(fault)
  }

  cut(fault: ProcessorFault): void {
    this.#events?.broke(fault)
  }

  finished(): void {
    const { headers, body, trailers } = this.modes.reply
    const needsReply = headers || body !== 'none' || trailers
    if (this.request.isDone && (this.reply.isDone || !needsReply)) this.#finish()
    if (this.reply.isDone) this.#events?.over()
  }

  /** The exchange is over: the call is cancelled if the processor has not ended it. */
  release(): void {
    if (this.#isClosed) return
    this.#close()
    if (!this.#hasEnded) this.#stream?.cancel()
  }

  #interrupt(message: ImmediateResponse): void {
    let immediate: Reply
    try {
      immediate = immediateReply(message, this.#x)
    } catch (fault) {
      if (!(fault instanceof ProcessorFault)) throw fault
      this.fail(fault)
      return
    }
    const { reply, request } = this
    if (reply.isFlowing && !reply.isPending) {
      this.fail(invalidResponse('the processor interrupted an answer that was on its way'))
      return
    }
    this.#finish()
    if (reply.isPending) reply.broke(new Interruption(immediate))
    else {
      this.interruption = immediate
      request.broke(new Interruption(immediate))
    }
  }

  #finish(): void {
    if (this.#isClosed) return
    this.#close()
    const stream = this.#stream
    if (!stream || this.#hasEnded) return
    stream.finish()
    // The remaining messages must be read for the end to be reported.
    stream.resume()
    this.#grace = setTimeout(() => {
      stream.cancel()
    }, GRACE_MS).unref()
  }

  #close(): void {
    this.#isClosed = true
    clearTimeout(this.#limit)
    this.request.stopTimeout()
    this.reply.stopTimeout()
    this.#pausedBy.clear()
    for (const stop of this.#cancelCallbacks) stop()
  }
}

/** How long a processor may take to end its side after the gateway has ended its own. */
const GRACE_MS = 1_000
