import type { Body } from '../../model/body.ts'
import type { Exchange } from '../../model/exchange.ts'
import type { Headers } from '../../model/headers.ts'
import {
  type BodyMutation,
  type CommonResponse,
  CommonResponse_ResponseStatus as ResponseStatus,
} from '../../protocols/grpc/ext-proc.gen.ts'
import { HeldBody } from '../body/held-body.ts'
import { isLonger, putHeld } from '../body/hold.ts'
import { keepAsCame } from '../body/keep-as-came.ts'
import { readAhead } from '../body/read-ahead.ts'
import type { Parts } from '../transform/header-steps.ts'
import { changeHead, changeTrailers } from './change-fields.ts'
import type { Conversation } from './conversation.ts'
import { Interruption, type Line } from './line.ts'
import { bodyPart, type HeadAnswer, type Told, trailerPart } from './messages.ts'
import { type Direction, overriddenModes } from './modes.ts'
import { nonsense } from './processor-fault.ts'
import { ReplacedBeginning } from './replaced-beginning.ts'
import { StreamedBody } from './streamed-body.ts'
import { TrailedBody } from './trailed-body.ts'

/** A message as a processor is shown it. */
export interface ShownMessage {
  readonly x: Exchange
  readonly direction: Direction
  readonly message: { readonly headers: Headers; body: Body }
  readonly hasBody: boolean
  readonly mayHaveTrailers: boolean
  /** What is named like a header field and is none. */
  readonly parts: Parts
  readonly head: (endOfStream: boolean) => Told
  /** Longest body that is shown in one piece. */
  readonly limitBytes: number
}

/**
 * Shows a message to a processor, part by part as its modes want it, and changes it as it says. Returns when the message
 * may go on; its body may still flow through the processor then.
 *
 * @throws ProcessorFault, Interruption, or the fault of a body that broke.
 */
export const showMessage = async (shown: ShownMessage, conversation: Conversation): Promise<void> => {
  const showing = new Showing(shown, conversation)
  try {
    await showing.run()
  } catch (why) {
    showing.streamed?.stop()
    throw why
  }
}

class Showing {
  streamed: StreamedBody | undefined = undefined
  readonly #shown: ShownMessage
  readonly #conversation: Conversation
  readonly #line: Line
  /** What the processor says the body's length will be. */
  #length: string | undefined = undefined

  constructor(shown: ShownMessage, conversation: Conversation) {
    this.#shown = shown
    this.#conversation = conversation
    this.#line = conversation[shown.direction]
  }

  get #modes() {
    return this.#conversation.modes[this.#shown.direction]
  }

  async run(): Promise<void> {
    const { hasBody } = this.#shown
    if (this.#modes.headers && (await this.#showHead())) {
      this.#line.finish()
      return
    }
    const isClosed = this.#isClosed()
    if (this.streamed) this.#letFlow(this.streamed)
    else if (!hasBody || isClosed) this.#line.finish()
    else if (this.#modes.body === 'none') this.#watchTrailers()
    else if (this.#modes.body === 'fullDuplexStreamed' || this.#modes.body === 'streamed') {
      const streamed = this.#stream()
      this.#letFlow(streamed)
    } else {
      await this.#showHeld(this.#modes.body === 'bufferedPartial')
      // The rest of a longer body is nothing that it is shown.
      this.#line.finish()
    }
  }

  /** True if the processor has replaced the body, and wants to see nothing of it. */
  async #showHead(): Promise<boolean> {
    const { head, hasBody, message } = this.#shown
    const flows = hasBody && this.#modes.body === 'fullDuplexStreamed'
    this.#conversation.send(head(!hasBody))
    if (flows) this.#stream()
    const answer = await this.#line.answer('headers', flows)
    this.#heed(answer, flows)
    this.#change(answer.response)
    if (answer.response?.status !== ResponseStatus.CONTINUE_AND_REPLACE) return false
    const bytes = this.#replacement(answer.response.bodyMutation) ?? nothing
    this.streamed?.stop()
    this.streamed = undefined
    message.body.drop()
    this.#put(bytes, undefined)
    return true
  }

  /** What the processor says apart from changes. */
  #heed({ metadata, override }: HeadAnswer, isFlowing: boolean): void {
    const { x, direction } = this.#shown
    const { modes } = this.#conversation
    if (metadata) x.extproc = { ...x.extproc, ...metadata }
    if (override && this.#conversation.allowsOverride)
      this.#conversation.modes = overriddenModes(modes, override, direction, isFlowing)
  }

  /** Makes the body flow to the processor as soon as that is connected to. */
  #stream(): StreamedBody {
    const { message, limitBytes } = this.#shown
    const streamed = new StreamedBody(message.body, {
      line: this.#line,
      showsTrailers: this.#modes.trailers,
      limitBytes,
    })
    this.streamed = streamed
    this.#conversation.whenReached(() => {
      streamed.send()
    })
    return streamed
  }

  #letFlow(streamed: StreamedBody): void {
    const { message, direction } = this.#shown
    message.body = streamed
    // Nobody knows how long it will be.
    message.headers.delete('content-length')
    if (direction === 'request') this.#conversation.upload = streamed
    streamed.listen()
  }

  #watchTrailers(): void {
    const { message, mayHaveTrailers } = this.#shown
    if (this.#modes.trailers && mayHaveTrailers) message.body = new TrailedBody(message.body, this.#line)
    else this.#line.finish()
  }

  async #showHeld(mayBeLonger: boolean): Promise<void> {
    const { x, message, direction, limitBytes } = this.#shown
    const tooLong = () => nonsense(`the body exceeds the limit of ${limitBytes} bytes`)
    if (!mayBeLonger && isLonger(message.body, limitBytes)) {
      message.body.drop()
      throw tooLong()
    }
    const ahead = await readAhead(message.body, limitBytes)
    if ('longer' in ahead && !mayBeLonger) {
      ahead.longer.drop()
      throw tooLong()
    }
    if ('longer' in ahead) {
      const beginning = ahead.longer.beginning()
      message.body = ahead.longer
      if (this.#isClosed()) return
      const bytes = await this.#showBody(beginning, false)
      if (!bytes) return
      message.body = new ReplacedBeginning(ahead.longer, beginning.length, bytes)
      message.headers.delete('content-length')
      return
    }
    const { bytes, trailers } = ahead.whole
    putHeld(message, ahead.whole)
    if (this.#isClosed()) return
    const shownTrailers = this.#modes.trailers ? trailers : undefined
    const changed = (await this.#showBody(bytes, !shownTrailers)) ?? bytes
    if (changed !== bytes && message === x.request) keepAsCame(x)
    this.#put(changed, trailers)
    if (!shownTrailers || this.#isClosed()) return
    this.#conversation.send(trailerPart(direction, shownTrailers))
    const { mutation } = await this.#line.answer('trailers')
    this.#put(changed, changeTrailers(shownTrailers, mutation))
  }

  /** Undefined if they stay as they are. */
  async #showBody(bytes: Uint8Array, isLast: boolean): Promise<Uint8Array | undefined> {
    this.#line.handedOver = true
    this.#conversation.send(bodyPart(this.#shown.direction, bytes, isLast))
    const { response } = await this.#line.answer('body')
    this.#change(response)
    return this.#replacement(response?.bodyMutation)
  }

  #change(response: CommonResponse | undefined): void {
    const { x, message, parts } = this.#shown
    this.#length = changeHead(x, message.headers, response?.headerMutation, parts) ?? this.#length
  }

  #replacement(given: BodyMutation | undefined): Uint8Array | undefined {
    const mutation = given?.mutation
    if (mutation?.case === 'streamedResponse') return mutation.value.body
    if (mutation?.case !== 'body' && !(mutation?.case === 'clearBody' && mutation.value)) return undefined
    const bytes = mutation.case === 'body' ? mutation.value : nothing
    if (this.#length !== undefined && this.#length !== String(bytes.length))
      throw nonsense(
        `the processor announced a Content-Length of ${this.#length} for a body of ${bytes.length} bytes`,
      )
    return bytes
  }

  #put(bytes: Uint8Array, trailers: readonly string[] | undefined): void {
    const { message } = this.#shown
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    putHeld(message, new HeldBody(buffer, trailers?.length ? trailers : undefined))
  }

  /**
   * The processor wants to see nothing more, or is gone and may be. To be asked whenever something was waited for: what it
   * says next may have come in one go with the answer.
   */
  #isClosed(): boolean {
    const { isClosed, interruption, fault, obstacle } = this.#conversation
    if (interruption) throw new Interruption(interruption)
    if (obstacle) throw obstacle
    if (fault && this.#line.handedOver) throw fault
    return isClosed
  }
}

const nothing = new Uint8Array(0)
