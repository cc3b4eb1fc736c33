import type { Body, BodySink } from '../../model/exchange/body.ts'
import { PipedBody } from '../body/piped-body.ts'

/** A body with a replaced prefix; the rest is unchanged. */
export class ReplacedPrefixBody extends PipedBody {
  readonly lengthBytes = undefined
  readonly #body: Body
  readonly #without: number
  readonly #prefix: Uint8Array

  /** @param without How many bytes are replaced. */
  constructor(body: Body, without: number, prefix: Uint8Array) {
    super()
    this.#body = body
    this.#without = without
    this.#prefix = prefix
  }

  pipe(to: BodySink): void {
    if (this.#prefix.length) to.write(this.#prefix)
    let toSkip = this.#without
    this.#body.pipe({
      write(chunk, lease) {
        if (toSkip === 0) return to.write(chunk, lease)
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
