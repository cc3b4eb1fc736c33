import type { Body, BodySink } from '../../model/body.ts'
import { PassingSink } from '../../model/passing-sink.ts'
import { PipedBody } from '../body/piped-body.ts'
import { changeTrailers } from './change-fields.ts'
import type { Line } from './line.ts'
import { trailerPart } from './messages.ts'
import { nonsense, ProcessorFault } from './processor-fault.ts'

/** A body that passes as it comes, of which a processor sees the trailers only. */
export class TrailedBody extends PipedBody {
  readonly lengthBytes: number | undefined
  readonly #source: Body
  readonly #line: Line

  constructor(source: Body, line: Line) {
    super()
    this.lengthBytes = source.lengthBytes
    this.#source = source
    this.#line = line
  }

  pipe(to: BodySink): void {
    this.#source.pipe(new TrailerSink(to, this.#line))
  }

  drop(): void {
    this.#line.finish()
    this.#source.drop()
  }
}

class TrailerSink extends PassingSink {
  readonly #line: Line

  constructor(to: BodySink, line: Line) {
    super(to)
    this.#line = line
  }

  override end(trailers?: readonly string[]): void {
    const { wire, isDone } = this.#line
    if (trailers && wire.obstacle) this.#cut(wire.obstacle)
    else if (trailers && !isDone && !wire.isClosed) void this.#show(trailers)
    else {
      this.to.end(trailers)
      this.#line.finish()
    }
  }

  override fail(fault: unknown): void {
    this.to.fail(fault)
    this.#line.finish()
  }

  async #show(trailers: readonly string[]): Promise<void> {
    const { wire, direction } = this.#line
    try {
      wire.send(trailerPart(direction, trailers))
      const { mutation } = await this.#line.answer('trailers')
      this.to.end(changeTrailers(trailers, mutation))
      this.#line.finish()
    } catch (why) {
      this.#cut(why instanceof ProcessorFault ? why : nonsense('the processor interrupted at the end'))
    }
  }

  #cut(fault: ProcessorFault): void {
    this.to.fail(fault)
    if (this.#line.direction === 'reply') this.#line.wire.cut(fault)
  }
}
