import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf'
import type { Exchange } from '../../model/exchange.ts'
import type { Fault } from '../../model/fault.ts'
import type { Reply } from '../../model/reply.ts'
import type { Afterwork, AfterworkEvents } from '../../pipeline/outlast.ts'
import {
  ExternalProcessor,
  type ImmediateResponse,
  type ProcessingRequestSchema,
  type ProcessingResponse,
} from '../../protocols/grpc/ext-proc.gen.ts'
import type { GrpcService } from '../../upstream/grpc.ts'
import type { GrpcEvents, MessageStream } from '../../upstream/grpc-stream.ts'
import { Unaskable } from '../service/unaskable.ts'
import { immediateReply } from './immediate-reply.ts'
import { Interruption, Line, type Wire } from './line.ts'
import { answerOf, type Told } from './messages.ts'
import { type ExchangeModes, protocolConfig } from './modes.ts'
import { absent, nonsense, outOfTime, ProcessorFault, unaskable } from './processor-fault.ts'

/** Who is spoken to, and how. */
export interface ConversationOptions {
  readonly service: GrpcService
  /** How long the processor may take when it is its turn; undefined may take for ever. */
  readonly patienceMs: number | undefined
  readonly modes: ExchangeModes
  /** A processor that is not there is done without. */
  readonly isDispensable: boolean
  /** Whether the processor may choose other modes. */
  readonly allowsOverride: boolean
  /** Goes ahead of everything. */
  readonly initial: readonly (readonly [name: string, value: string])[]
  /** Goes with every message, by namespace. */
  readonly context: Readonly<Record<string, JsonObject>>
}

/**
 * What is said to a processor about one exchange, and what it says: one stream for both directions.
 *
 * It opens with the first message. It ends in order once nothing is left to be shown; if the exchange ends before that,
 * it is cancelled.
 */
export class Conversation implements Afterwork, Wire, GrpcEvents<ProcessingResponse> {
  modes: ExchangeModes
  context: ConversationOptions['context']
  /** Goes with the next message. */
  attributes: JsonObject | undefined = undefined
  readonly allowsOverride: boolean
  readonly request: Line
  readonly reply: Line
  /** What the processor wants the client to get, until somebody has seen to it. */
  interruption: Reply | undefined = undefined
  /** The body of the request, while it flows. */
  upload: { giveWay(): void } | undefined = undefined
  /** Why the processor cannot be relied upon. */
  fault: ProcessorFault | undefined = undefined
  readonly #x: Exchange
  readonly #options: ConversationOptions
  #stream: MessageStream<MessageInitShape<typeof ProcessingRequestSchema>> | undefined = undefined
  /** Nothing more is said, by either side. */
  #isClosed = false
  #hasEnded = false
  #hasSpoken = false
  #following: AfterworkEvents | undefined = undefined
  readonly #heldUpBy = new Set<object>()
  readonly #stopWaiting: (() => void)[] = []
  #grace: NodeJS.Timeout | undefined = undefined
  #limit: NodeJS.Timeout | undefined = undefined

  constructor(x: Exchange, options: ConversationOptions) {
    this.#x = x
    this.#options = options
    this.modes = options.modes
    this.context = options.context
    this.allowsOverride = options.allowsOverride
    this.request = new Line('request', this, options.patienceMs)
    this.reply = new Line('reply', this, options.patienceMs)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get obstacle(): ProcessorFault | undefined {
    const { fault } = this
    return fault?.isOfTransport && this.#options.isDispensable ? undefined : fault
  }

  get isOver(): boolean {
    return this.reply.isDone || this.#isClosed
  }

  follow(events: AfterworkEvents): void {
    this.#following = events
  }

  /** The time of the exchange ends in so many milliseconds. */
  limit(leftMs: number): void {
    this.#limit = setTimeout(() => this.fail(outOfTime()), leftMs)
  }

  send(told: Told): boolean {
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
      request: told,
      metadataContext: { filterMetadata: this.context },
      ...(attributes && { attributes: { 'envoy.filters.http.ext_proc': attributes } }),
      ...(isFirst && { protocolConfig: protocolConfig(this.modes) }),
    })
  }

  onDrain(resume: () => void): void {
    if (this.#isClosed) resume()
    else this.#stream?.onDrain(resume)
  }

  holdUp(who: object): void {
    if (this.#isClosed) return
    this.#heldUpBy.add(who)
    this.#stream?.pause()
  }

  goOn(who: object): void {
    if (this.#heldUpBy.delete(who) && this.#heldUpBy.size === 0) this.#stream?.resume()
  }

  whenReached(then: () => void): void {
    const stop = this.#options.service.whenReached(() => {
      if (!this.#isClosed) then()
    })
    this.#stopWaiting.push(stop)
  }

  message(said: ProcessingResponse): void {
    if (this.#isClosed) return
    if (said.response.case === 'immediateResponse') {
      this.#interrupt(said.response.value)
      return
    }
    const heard = answerOf(said)
    if (heard) {
      this.#hasSpoken = true
      this[heard.direction].heard(heard.answer)
    } else this.fail(nonsense('the processor said nothing'))
  }

  ended(fault?: Fault): void {
    this.#hasEnded = true
    clearTimeout(this.#grace)
    if (this.#isClosed) return
    const lines = [this.request, this.reply]
    const isDue = lines.some((line) => line.isAsking || line.isFlowing)
    // A processor that has answered may say that it has seen enough, whatever has been sent to it meanwhile.
    if (fault || (isDue && !(this.#hasSpoken && lines.every((line) => line.canBypass)))) {
      this.fail(fault instanceof Unaskable ? unaskable(fault) : absent(fault))
      return
    }
    this.#close()
    for (const line of lines) line.bypass()
  }

  /** Whoever waits is told; a reply that flows already is cut, and a request body only if nobody else can answer. */
  fail(fault: ProcessorFault): void {
    if (this.#isClosed) return
    this.fault = fault
    const { reply, request } = this
    const [isAsking, isFlowing] = [reply.isAsking, reply.isFlowing]
    this.leave()
    if (isAsking || isFlowing) reply.broke(fault)
    else request.broke(fault)
  }

  cut(fault: ProcessorFault): void {
    this.#following?.broke(fault)
  }

  finished(): void {
    const { headers, body, trailers } = this.modes.reply
    const wantsReply = headers || body !== 'none' || trailers
    if (this.request.isDone && (this.reply.isDone || !wantsReply)) this.#finish()
    if (this.reply.isDone) this.#following?.over()
  }

  /** The exchange is over: if the processor is not at its end, it is told that nobody waits. */
  leave(): void {
    if (this.#isClosed) return
    this.#close()
    if (!this.#hasEnded) this.#stream?.cancel()
  }

  #interrupt(said: ImmediateResponse): void {
    let given: Reply
    try {
      given = immediateReply(said, this.#x)
    } catch (fault) {
      if (!(fault instanceof ProcessorFault)) throw fault
      this.fail(fault)
      return
    }
    const { reply, request } = this
    if (reply.isFlowing && !reply.isAsking) {
      this.fail(nonsense('the processor interrupted an answer that was on its way'))
      return
    }
    this.#finish()
    if (reply.isAsking) reply.broke(new Interruption(given))
    else {
      this.interruption = given
      request.broke(new Interruption(given))
    }
  }

  #finish(): void {
    if (this.#isClosed) return
    this.#close()
    const stream = this.#stream
    if (!stream || this.#hasEnded) return
    stream.finish()
    // What it still says must be read for its end to show.
    stream.resume()
    this.#grace = setTimeout(() => {
      stream.cancel()
    }, GRACE_MS).unref()
  }

  #close(): void {
    this.#isClosed = true
    clearTimeout(this.#limit)
    this.request.relax()
    this.reply.relax()
    this.#heldUpBy.clear()
    for (const stop of this.#stopWaiting) stop()
  }
}

/** How long a processor may take to end its side when we have ended ours. */
const GRACE_MS = 1_000
