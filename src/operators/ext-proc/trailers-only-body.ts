import type { Body, BodySink } from '../../model/exchange/body.ts'
import { PassingSink } from '../../model/exchange/pass-through-sink.ts'
import { PipedBody } from '../body/piped-body.ts'
import { changeTrailers } from './header-mutation.ts'
import type { ProcessorState } from './processor-state.ts'
import { trailerPart } from './processing-messages.ts'
import { invalidResponse, ProcessorFault } from './processor-fault.ts'

/** A body that passes unchanged, of which a processor sees the trailers only. */
export class TrailersOnlyBody extends PipedBody {
  readonly lengthBytes: number | undefined
  readonly #source: Body
  readonly #state: ProcessorState

  constructor(source: Body, state: ProcessorState) {
    super()
    this.lengthBytes = source.lengthBytes
    this.#source = source
    this.#state = state
  }

  pipe(to: BodySink): void {
    this.#source.pipe(new TrailerSink(to, this.#state))
  }

  drop(): void {
    this.#state.finish()
    this.#source.drop()
  }
}

class TrailerSink extends PassingSink {
  readonly #state: ProcessorState

  constructor(to: BodySink, state: ProcessorState) {
    super(to)
    this.#state = state
  }

  override end(trailers?: readonly string[]): void {
    const { stream, isDone } = this.#state
    if (trailers && stream.failure) this.#cut(stream.failure)
    else if (trailers && !isDone && !stream.isClosed) void this.#processTrailers(trailers)
    else {
      this.to.end(trailers)
      this.#state.finish()
    }
  }

  override fail(fault: unknown): void {
    this.to.fail(fault)
    this.#state.finish()
  }

  async #processTrailers(trailers: readonly string[]): Promise<void> {
    const { stream, direction } = this.#state
    try {
      stream.send(trailerPart(direction, trailers))
      const { mutation } = await this.#state.awaitResponse('trailers')
      this.to.end(changeTrailers(trailers, mutation))
      this.#state.finish()
    } catch (why) {
      this.#cut(why instanceof ProcessorFault ? why : invalidResponse('the processor interrupted at the end'))
    }
  }

  #cut(fault: ProcessorFault): void {
    this.to.fail(fault)
    if (this.#state.direction === 'reply') this.#state.stream.cut(fault)
  }
}
