import type { Body, BodySink } from '../../model/body.ts'
import { PipedBody } from '../body/piped-body.ts'
import { changeTrailers } from './change-fields.ts'
import { type Hearer, Interruption, type Line } from './line.ts'
import { type Answer, bodyPart, trailerPart } from './messages.ts'
import { Outflow, type OutflowEvents } from './outflow.ts'
import { nonsense, ProcessorFault } from './processor-fault.ts'
import { SentChunks } from './sent-chunks.ts'

/** What a body that flows through a processor needs to know. */
export interface StreamedBodyOptions {
  readonly line: Line
  /** Whether trailers are shown; otherwise they stay as they are. */
  readonly showsTrailers: boolean
  /** How much the processor may leave unanswered and still say that it stays as it is. */
  readonly limitBytes: number
}

/**
 * A body that flows through a processor: what its source sends goes there, what comes back goes on.
 *
 * Nothing piles up. The source waits while the processor takes nothing, and while the consumer is behind; a processor
 * that sends more than it was given is not listened to while the consumer is behind.
 */
export class StreamedBody extends PipedBody implements BodySink, Hearer, OutflowEvents {
  readonly lengthBytes = undefined
  readonly #source: Body
  readonly #line: Line
  readonly #showsTrailers: boolean
  readonly #sent: SentChunks
  readonly #out = new Outflow(this)
  #isBegun = false
  /** The source has sent its last. */
  #isSent = false
  #trailers: readonly string[] | undefined = undefined
  /** The processor takes nothing more for the moment. */
  #isFull = false
  #resume: (() => void) | undefined = undefined
  #mayHoldUp = true
  /** The processor is gone, and a part of the body with it. */
  #isBroken = false
  /** The processor has seen enough. */
  #isBypassed = false

  constructor(source: Body, { line, showsTrailers, limitBytes }: StreamedBodyOptions) {
    super()
    this.#source = source
    this.#line = line
    this.#showsTrailers = showsTrailers
    this.#sent = new SentChunks(limitBytes + UNDER_WAY_BYTES)
  }

  /** Lets the source flow to the processor. */
  send(): void {
    if (this.#isOver) return
    this.#isBegun = true
    this.#line.handedOver = true
    this.#source.pipe(this)
  }

  /** From now on what the processor says is about this body. */
  listen(): void {
    this.#line.listen(this)
    if (this.#line.wire.isClosed) this.bypass()
    else this.#expect()
  }

  /** Nobody needs what the processor still says of it, nor the rest of the source; one that was not begun stays whole. */
  stop(): void {
    this.#line.finish()
    this.#out.abandon()
    if (this.#isBegun) this.#source.drop()
  }

  /** The processor must be heard from now on, whatever becomes of this body: it is to speak of the reply. */
  giveWay(): void {
    this.#mayHoldUp = false
    this.outflowChanged()
  }

  get canBypass(): boolean {
    return this.#sent.untouched !== undefined
  }

  bypass(): void {
    this.#isBypassed = true
    const sent = this.#sent.untouched ?? []
    this.#line.finish()
    for (const chunk of sent) this.#out.write(chunk)
    if (this.#isSent) this.#out.end(this.#trailers)
    else if (!this.#isBegun) this.#source.pipe(this)
    this.#goOn()
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isBypassed) this.#out.write(chunk)
    for (let from = 0; from < chunk.length && !this.#isOver; from += PART_BYTES)
      this.#show(chunk.subarray(from, from + PART_BYTES), false)
    return this.#flows
  }

  end(trailers?: readonly string[]): void {
    this.#isSent = true
    if (this.#isBypassed) this.#out.end(trailers)
    if (this.#isOver) return
    this.#trailers = trailers
    if (trailers && this.#showsTrailers) this.#line.wire.send(trailerPart(this.#line.direction, trailers))
    else this.#show(nothing, true)
    this.#expect()
  }

  fail(fault: unknown): void {
    if (this.#isBypassed) this.#out.fail(fault)
    if (this.#isOver) return
    this.#line.finish()
    this.#out.fail(fault)
  }

  onDrain(resume: () => void): void {
    this.#resume = resume
    this.#goOn()
  }

  heard(answer: Answer): void {
    if (answer.part === 'body') this.#bodyAnswered(answer)
    else if (answer.part === 'trailers' && this.#isSent && this.#trailers && this.#showsTrailers)
      this.#finish(changeTrailers(this.#trailers, answer.mutation))
    else this.#line.wire.fail(nonsense('the processor spoke of what it was not shown'))
    if (!this.#isOver) this.#expect()
  }

  broke(fault: unknown): void {
    const { wire, direction } = this.#line
    if (!this.#isBegun && !wire.obstacle) {
      this.bypass()
      return
    }
    this.#isBroken = true
    if (direction === 'reply' && fault instanceof ProcessorFault) wire.cut(fault)
    this.#out.fail(fault instanceof Interruption ? nonsense('the processor interrupted') : fault)
    this.#source.drop()
    this.#goOn()
  }

  outflowChanged(): void {
    const { wire } = this.#line
    const { waitingBytes } = this.#out
    if (this.#isOver || !this.#mayHoldUp || waitingBytes <= WAITING_LIMIT_BYTES) wire.goOn(this)
    else wire.holdUp(this)
    // Whoever should take it has answered already, and will not miss it.
    if (!this.#mayHoldUp && waitingBytes > UNWANTED_LIMIT_BYTES) this.#out.abandon()
    this.#expect()
    this.#goOn()
  }

  pipe(to: BodySink): void {
    this.#out.pipe(to)
  }

  drop(): void {
    if (this.#isOver) return
    this.stop()
    if (!this.#isBegun) this.#source.drop()
  }

  get #isOver(): boolean {
    return this.#isBroken || this.#line.isDone
  }

  /** Whether the source may go on. What comes when nobody wants it is let through to nowhere. */
  get #flows(): boolean {
    if (this.#isBypassed) return !this.#out.isBehind
    return this.#isOver || !(this.#isFull || this.#out.isBehind)
  }

  #show(chunk: Uint8Array, isLast: boolean): void {
    const { wire, direction } = this.#line
    this.#sent.add(chunk, isLast)
    if (wire.send(bodyPart(direction, chunk, isLast)) || this.#isFull) return
    this.#isFull = true
    wire.onDrain(() => {
      this.#isFull = false
      this.#goOn()
    })
  }

  #goOn(): void {
    if (!this.#flows) return
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }

  /** Once it has everything, and its words find somebody to take them, it is the processor's turn. */
  #expect(): void {
    if (this.#isSent && !this.#isOver && !this.#out.isBehind) this.#line.expect()
    else this.#line.relax()
  }

  #bodyAnswered({ response }: Extract<Answer, { readonly part: 'body' }>): void {
    const { chunk, isLast } = this.#sent.next()
    const mutation = response?.bodyMutation?.mutation
    let ends = isLast
    if (mutation?.case === 'streamedResponse') {
      this.#out.write(mutation.value.body)
      ends = mutation.value.endOfStream
    } else if (mutation?.case === 'body') this.#out.write(mutation.value)
    else if (mutation?.case !== 'clearBody' || !mutation.value) {
      if (!chunk) {
        this.#line.wire.fail(nonsense('the processor kept a long body to itself'))
        return
      }
      this.#out.write(chunk)
    }
    // Trailers that were shown are spoken of last.
    if (ends && !(this.#isSent && this.#trailers && this.#showsTrailers)) this.#finish(this.#trailers)
  }

  #finish(trailers: readonly string[] | undefined): void {
    this.#line.finish()
    this.#out.end(trailers)
    if (!this.#isSent) this.#source.drop()
    this.#goOn()
  }
}

/** Longest piece of a body that goes into one message. */
const PART_BYTES = 65_536
/** How much may wait for a consumer before the processor has to wait too. */
const WAITING_LIMIT_BYTES = 262_144
/** How much of a request may wait for an upstream that has answered. */
const UNWANTED_LIMIT_BYTES = 16 * WAITING_LIMIT_BYTES

/** How much may be under way to a processor that has not even seen it. */
const UNDER_WAY_BYTES = 4 * 2 ** 20

const nothing = new Uint8Array(0)
