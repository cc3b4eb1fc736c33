import type { Body, BodySink } from '../../model/exchange/body.ts'
import { PipedBody } from '../body/piped-body.ts'
import { changeTrailers } from './header-mutation.ts'
import { type BodyHandler, Interruption, type ProcessorState } from './processor-state.ts'
import { type ProcessingResponsePart, bodyPart, trailerPart } from './processing-messages.ts'
import { BodyOutput, type BodyOutputEvents } from './body-output.ts'
import { invalidResponse, ProcessorFault } from './processor-fault.ts'
import { SentChunks } from './chunk-queue.ts'

/** How a body flows through a processor. */
export interface StreamedBodyOptions {
  readonly state: ProcessorState
  /** Whether trailers are sent to the processor; otherwise they stay as they are. */
  readonly sendsTrailers: boolean
  /** How many unacknowledged bytes are kept, so that the processor may still leave them unchanged. */
  readonly limitBytes: number
}

/**
 * A body that flows through a processor: the chunks of its source are sent to it, the chunks of its responses go to
 * the consumer.
 *
 * Buffers are bounded. The source is paused while the stream to the processor is full, and while the consumer is
 * behind. The processor's responses are not read while the consumer is behind.
 */
export class StreamedBody extends PipedBody implements BodySink, BodyHandler, BodyOutputEvents {
  readonly lengthBytes = undefined
  readonly #source: Body
  readonly #state: ProcessorState
  readonly #sendsTrailers: boolean
  readonly #sent: SentChunks
  readonly #out = new BodyOutput(this)
  #isBegun = false
  /** The source has ended. */
  #isSent = false
  #trailers: readonly string[] | undefined = undefined
  /** The stream to the processor is full. */
  #isFull = false
  #resume: (() => void) | undefined = undefined
  #mayPause = true
  /** The processor is gone, and a part of the body with it. */
  #isBroken = false
  /** The processor has bypassed the rest. */
  #isBypassed = false

  constructor(source: Body, { state, sendsTrailers, limitBytes }: StreamedBodyOptions) {
    super()
    this.#source = source
    this.#state = state
    this.#sendsTrailers = sendsTrailers
    this.#sent = new SentChunks(limitBytes + IN_FLIGHT_BYTES)
  }

  /** Starts the flow from the source to the processor. */
  send(): void {
    if (this.#isOver) return
    this.#isBegun = true
    this.#state.handedOver = true
    this.#source.pipe(this)
  }

  /** From now on the processor's responses are about this body. */
  listen(): void {
    this.#state.listen(this)
    if (this.#state.stream.isClosed) this.bypass()
    else this.#startTimeout()
  }

  /** The rest of the source and of the processor's responses is not needed; a body that was not started stays whole. */
  stop(): void {
    this.#state.finish()
    this.#out.abandon()
    if (this.#isBegun) this.#source.drop()
  }

  /** From now on responses must be read even if this body is not consumed: those about the reply come next. */
  stopPausing(): void {
    this.#mayPause = false
    this.onOutputChanged()
  }

  get canBypass(): boolean {
    return this.#sent.unacknowledged !== undefined
  }

  bypass(): void {
    this.#isBypassed = true
    const sent = this.#sent.unacknowledged ?? []
    this.#state.finish()
    for (const chunk of sent) this.#out.write(chunk)
    if (this.#isSent) this.#out.end(this.#trailers)
    else if (!this.#isBegun) this.#source.pipe(this)
    this.#resumeSource()
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isBypassed) this.#out.write(chunk)
    for (let from = 0; from < chunk.length && !this.#isOver; from += CHUNK_BYTES)
      this.#sendChunk(chunk.subarray(from, from + CHUNK_BYTES), false)
    return this.#flows
  }

  end(trailers?: readonly string[]): void {
    this.#isSent = true
    if (this.#isBypassed) this.#out.end(trailers)
    if (this.#isOver) return
    this.#trailers = trailers
    if (trailers && this.#sendsTrailers) this.#state.stream.send(trailerPart(this.#state.direction, trailers))
    else this.#sendChunk(nothing, true)
    this.#startTimeout()
  }

  fail(fault: unknown): void {
    if (this.#isBypassed) this.#out.fail(fault)
    if (this.#isOver) return
    this.#state.finish()
    this.#out.fail(fault)
  }

  onDrain(resume: () => void): void {
    this.#resume = resume
    this.#resumeSource()
  }

  onResponse(response: ProcessingResponsePart): void {
    if (response.part === 'body') this.#onBodyResponse(response)
    else if (response.part === 'trailers' && this.#isSent && this.#trailers && this.#sendsTrailers)
      this.#finish(changeTrailers(this.#trailers, response.mutation))
    else this.#state.stream.fail(invalidResponse('the processor spoke of what it was not shown'))
    if (!this.#isOver) this.#startTimeout()
  }

  broke(fault: unknown): void {
    const { stream, direction } = this.#state
    if (!this.#isBegun && !stream.failure) {
      this.bypass()
      return
    }
    this.#isBroken = true
    if (direction === 'reply' && fault instanceof ProcessorFault) stream.cut(fault)
    this.#out.fail(fault instanceof Interruption ? invalidResponse('the processor interrupted') : fault)
    this.#source.drop()
    this.#resumeSource()
  }

  onOutputChanged(): void {
    const { stream } = this.#state
    const { bufferedBytes } = this.#out
    if (this.#isOver || !this.#mayPause || bufferedBytes <= BUFFER_LIMIT_BYTES) stream.resume(this)
    else stream.pause(this)
    // The upstream has responded already, and does not need the rest.
    if (!this.#mayPause && bufferedBytes > UNWANTED_LIMIT_BYTES) this.#out.abandon()
    this.#startTimeout()
    this.#resumeSource()
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
    return this.#isBroken || this.#state.isDone
  }

  /** Whether the source may flow. Chunks without a consumer are discarded. */
  get #flows(): boolean {
    if (this.#isBypassed) return !this.#out.isBehind
    return this.#isOver || !(this.#isFull || this.#out.isBehind)
  }

  #sendChunk(chunk: Uint8Array, isLast: boolean): void {
    const { stream, direction } = this.#state
    this.#sent.add(chunk, isLast)
    if (stream.send(bodyPart(direction, chunk, isLast)) || this.#isFull) return
    this.#isFull = true
    stream.onDrain(() => {
      this.#isFull = false
      this.#resumeSource()
    })
  }

  #resumeSource(): void {
    if (!this.#flows) return
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }

  /** Once the processor has received everything, and its output can be delivered, its message timeout runs. */
  #startTimeout(): void {
    if (this.#isSent && !this.#isOver && !this.#out.isBehind) this.#state.startTimeout()
    else this.#state.stopTimeout()
  }

  #onBodyResponse({ response }: Extract<ProcessingResponsePart, { readonly part: 'body' }>): void {
    const { chunk, isLast } = this.#sent.next()
    const mutation = response?.bodyMutation?.mutation
    let ends = isLast
    if (mutation?.case === 'streamedResponse') {
      this.#out.write(mutation.value.body)
      ends = mutation.value.endOfStream
    } else if (mutation?.case === 'body') this.#out.write(mutation.value)
    else if (mutation?.case !== 'clearBody' || !mutation.value) {
      if (!chunk) {
        this.#state.stream.fail(invalidResponse('the processor kept a long body to itself'))
        return
      }
      this.#out.write(chunk)
    }
    // Trailers that were sent are the last thing the processor responds to.
    if (ends && !(this.#isSent && this.#trailers && this.#sendsTrailers)) this.#finish(this.#trailers)
  }

  #finish(trailers: readonly string[] | undefined): void {
    this.#state.finish()
    this.#out.end(trailers)
    if (!this.#isSent) this.#source.drop()
    this.#resumeSource()
  }
}

/** Longest chunk of a body in one message, in bytes. */
const CHUNK_BYTES = 65_536
/** How many bytes may be buffered for a consumer before the processor is paused. */
const BUFFER_LIMIT_BYTES = 262_144
/** How many bytes of a request may be buffered for an upstream that has responded already. */
const UNWANTED_LIMIT_BYTES = 16 * BUFFER_LIMIT_BYTES

/** How many bytes may be in flight to a processor that has acknowledged none of them. */
const IN_FLIGHT_BYTES = 4 * 2 ** 20

const nothing = new Uint8Array(0)
