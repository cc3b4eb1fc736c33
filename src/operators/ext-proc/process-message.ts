import type { Body } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import {
  type BodyMutation,
  type CommonResponse,
  CommonResponse_ResponseStatus as ResponseStatus,
} from '../../protocols/grpc/ext-proc.gen.ts'
import { BufferedBody } from '../body/buffered-body.ts'
import { isLonger, setBuffered } from '../body/buffer-body.ts'
import { keepAsCame } from '../body/keep-original.ts'
import { readAhead } from '../body/read-prefix.ts'
import type { Parts } from '../transformations/header-steps.ts'
import { changeHead, changeTrailers } from './header-mutation.ts'
import type { ProcessorStream } from './processor-stream.ts'
import { Interruption, type ProcessorState } from './processor-state.ts'
import {
  bodyPart,
  type HeadersResponsePart,
  type ProcessingRequestPart,
  trailerPart,
} from './processing-messages.ts'
import { type Direction, overriddenModes } from './processing-mode.ts'
import { invalidResponse } from './processor-fault.ts'
import { ReplacedPrefixBody } from './replaced-prefix-body.ts'
import { StreamedBody } from './streamed-body.ts'
import { TrailersOnlyBody } from './trailers-only-body.ts'

/** A message that a processor may inspect and modify. */
export interface MessageToProcess {
  readonly x: Exchange
  readonly direction: Direction
  readonly message: { readonly headers: Headers; body: Body }
  readonly hasBody: boolean
  readonly mayHaveTrailers: boolean
  /** Pseudo-headers. */
  readonly parts: Parts
  readonly head: (endOfStream: boolean) => ProcessingRequestPart
  /** Longest body that is sent in one message, in bytes. */
  readonly limitBytes: number
}

/**
 * Sends a message to a processor, part by part as the modes require, and applies the changes. Returns when the message
 * may go on; its body may still flow through the processor then.
 *
 * @throws ProcessorFault, Interruption, or the fault of a broken body.
 */
export const processMessage = async (
  options: MessageToProcess,
  processor: ProcessorStream,
): Promise<void> => {
  const processing = new MessageProcessing(options, processor)
  try {
    await processing.run()
  } catch (why) {
    processing.streamed?.stop()
    throw why
  }
}

class MessageProcessing {
  streamed: StreamedBody | undefined = undefined
  readonly #options: MessageToProcess
  readonly #processor: ProcessorStream
  readonly #state: ProcessorState
  /** The length of the new body, as announced by the processor. */
  #length: string | undefined = undefined

  constructor(options: MessageToProcess, processor: ProcessorStream) {
    this.#options = options
    this.#processor = processor
    this.#state = processor[options.direction]
  }

  get #modes() {
    return this.#processor.modes[this.#options.direction]
  }

  async run(): Promise<void> {
    const { hasBody } = this.#options
    if (this.#modes.headers && (await this.#processHead())) {
      this.#state.finish()
      return
    }
    const isClosed = this.#isClosed()
    if (this.streamed) this.#replaceBody(this.streamed)
    else if (!hasBody || isClosed) this.#state.finish()
    else if (this.#modes.body === 'none') this.#processTrailersOnly()
    else if (this.#modes.body === 'fullDuplexStreamed' || this.#modes.body === 'streamed') {
      const streamed = this.#startStream()
      this.#replaceBody(streamed)
    } else {
      await this.#processBuffered(this.#modes.body === 'bufferedPartial')
      // The rest of a longer body is not sent.
      this.#state.finish()
    }
  }

  /** True if the processor has replaced the body, and receives nothing of it. */
  async #processHead(): Promise<boolean> {
    const { head, hasBody, message } = this.#options
    const flows = hasBody && this.#modes.body === 'fullDuplexStreamed'
    this.#processor.send(head(!hasBody))
    if (flows) this.#startStream()
    const response = await this.#state.awaitResponse('headers', flows)
    this.#applyOverride(response, flows)
    this.#applyHeaders(response.response)
    if (response.response?.status !== ResponseStatus.CONTINUE_AND_REPLACE) return false
    const bytes = this.#replacement(response.response.bodyMutation) ?? nothing
    this.streamed?.stop()
    this.streamed = undefined
    message.body.drop()
    this.#setBody(bytes, undefined)
    return true
  }

  /** Applies the parts of a response that do not change the message. */
  #applyOverride({ metadata, override }: HeadersResponsePart, isFlowing: boolean): void {
    const { direction } = this.#options
    const { modes } = this.#processor
    if (metadata) this.#processor.onMetadata(metadata)
    if (override && this.#processor.allowsOverride)
      this.#processor.modes = overriddenModes(modes, override, direction, isFlowing)
  }

  /** Streams the body to the processor once it is connected. */
  #startStream(): StreamedBody {
    const { message, limitBytes } = this.#options
    const streamed = new StreamedBody(message.body, {
      state: this.#state,
      sendsTrailers: this.#modes.trailers,
      limitBytes,
    })
    this.streamed = streamed
    this.#processor.onConnect(() => {
      streamed.send()
    })
    return streamed
  }

  #replaceBody(streamed: StreamedBody): void {
    const { message, direction } = this.#options
    message.body = streamed
    // The new length is unknown.
    message.headers.delete('content-length')
    if (direction === 'request') this.#processor.upload = streamed
    streamed.listen()
  }

  #processTrailersOnly(): void {
    const { message, mayHaveTrailers } = this.#options
    if (this.#modes.trailers && mayHaveTrailers)
      message.body = new TrailersOnlyBody(message.body, this.#state)
    else this.#state.finish()
  }

  async #processBuffered(allowsPartial: boolean): Promise<void> {
    const { x, message, direction, limitBytes } = this.#options
    const tooLong = () => invalidResponse(`the body exceeds the limit of ${limitBytes} bytes`)
    if (!allowsPartial && isLonger(message.body, limitBytes)) {
      message.body.drop()
      throw tooLong()
    }
    const ahead = await readAhead(message.body, limitBytes)
    if ('longer' in ahead && !allowsPartial) {
      ahead.longer.drop()
      throw tooLong()
    }
    if ('longer' in ahead) {
      const prefix = ahead.longer.beginning()
      message.body = ahead.longer
      if (this.#isClosed()) return
      const bytes = await this.#processBody(prefix, false)
      if (!bytes) return
      message.body = new ReplacedPrefixBody(ahead.longer, prefix.length, bytes)
      message.headers.delete('content-length')
      return
    }
    const { bytes, trailers } = ahead.whole
    setBuffered(message, ahead.whole)
    if (this.#isClosed()) return
    const sentTrailers = this.#modes.trailers ? trailers : undefined
    const changed = (await this.#processBody(bytes, !sentTrailers)) ?? bytes
    if (changed !== bytes && message === x.request) keepAsCame(x)
    this.#setBody(changed, trailers)
    if (!sentTrailers || this.#isClosed()) return
    this.#processor.send(trailerPart(direction, sentTrailers))
    const { mutation } = await this.#state.awaitResponse('trailers')
    this.#setBody(changed, changeTrailers(sentTrailers, mutation))
  }

  /** Undefined if the bytes stay as they are. */
  async #processBody(bytes: Uint8Array, isLast: boolean): Promise<Uint8Array | undefined> {
    this.#state.handedOver = true
    this.#processor.send(bodyPart(this.#options.direction, bytes, isLast))
    const { response } = await this.#state.awaitResponse('body')
    this.#applyHeaders(response)
    return this.#replacement(response?.bodyMutation)
  }

  #applyHeaders(response: CommonResponse | undefined): void {
    const { x, message, parts } = this.#options
    this.#length =
      changeHead(x, message.headers, response?.headerMutation, parts, this.#processor.replacesFields) ??
      this.#length
  }

  #replacement(given: BodyMutation | undefined): Uint8Array | undefined {
    const mutation = given?.mutation
    if (mutation?.case === 'streamedResponse') return mutation.value.body
    if (mutation?.case !== 'body' && !(mutation?.case === 'clearBody' && mutation.value)) return undefined
    const bytes = mutation.case === 'body' ? mutation.value : nothing
    if (this.#length !== undefined && this.#length !== String(bytes.length))
      throw invalidResponse(
        `the processor announced a Content-Length of ${this.#length} for a body of ${bytes.length} bytes`,
      )
    return bytes
  }

  #setBody(bytes: Uint8Array, trailers: readonly string[] | undefined): void {
    const { message } = this.#options
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    setBuffered(message, new BufferedBody(buffer, trailers?.length ? trailers : undefined))
  }

  /**
   * The processor has closed the stream, or is gone and not required. To be checked after every wait: the end may have
   * arrived together with the last response.
   */
  #isClosed(): boolean {
    const { isClosed, interruption, fault, failure } = this.#processor
    if (interruption) throw new Interruption(interruption)
    if (failure) throw failure
    if (fault && this.#state.handedOver) throw fault
    return isClosed
  }
}

const nothing = new Uint8Array(0)
