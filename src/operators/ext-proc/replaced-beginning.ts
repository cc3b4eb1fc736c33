import type { Readable } from 'node:stream'
import type { Body, BodySink } from '../../model/body.ts'
import { collect } from '../body/collect.ts'
import { readableOf } from '../body/readable.ts'

/** A body with another beginning than it came with; what follows is as it came. */
export class ReplacedBeginning implements Body {
  readonly lengthBytes = undefined
  readonly #body: Body
  readonly #without: number
  readonly #beginning: Uint8Array

  /** @param without How many bytes go. */
  constructor(body: Body, without: number, beginning: Uint8Array) {
    this.#body = body
    this.#without = without
    this.#beginning = beginning
  }

  pipe(to: BodySink): void {
    if (this.#beginning.length) to.write(this.#beginning)
    let toSkip = this.#without
    this.#body.pipe({
      write(chunk) {
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

  read(limitBytes: number): Promise<Buffer> {
    return collect(this, limitBytes)
  }

  drop(): void {
    this.#body.drop()
  }

  source(): Readable {
    return readableOf(this)
  }
}
