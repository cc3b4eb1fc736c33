import type { Body, BodySink } from '../../model/body.ts'
import { PipedBody } from '../body/piped-body.ts'

/** A body with another beginning than it came with; what follows is as it came. */
export class ReplacedBeginning extends PipedBody {
  readonly lengthBytes = undefined
  readonly #body: Body
  readonly #without: number
  readonly #beginning: Uint8Array

  /** @param without How many bytes go. */
  constructor(body: Body, without: number, beginning: Uint8Array) {
    super()
    this.#body = body
    this.#without = without
    this.#beginning = beginning
  }

  pipe(to: BodySink): void {
    if (this.#beginning.length) to.write(this.#beginning)
    let toSkip = this.#without
    this.#body.pipe({
      write(chunk, loan) {
        if (toSkip === 0) return to.write(chunk, loan)
        const rest = toSkip < chunk.length ? chunk.subarray(toSkip) : undefined
        toSkip = Math.max(0, toSkip - chunk.length)
        return rest === undefined || to.write(rest)
      },
      end(trailers) {
        to.end(trailers)
      },
      fail(fault) {
        to.fail(fault)
      },
      onDrain(resume) {
        to.onDrain(resume)
      },
    })
  }

  drop(): void {
    this.#body.drop()
  }
}
