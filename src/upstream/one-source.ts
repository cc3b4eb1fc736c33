import type { Readable } from 'node:stream'
import type { Body, BodySink } from '../model/body.ts'

/**
 * A body that may be handed to one client after another, as long as none of them has begun to read it: that is the case
 * when a client could not even connect.
 */
export class OneSource implements Body {
  readonly lengthBytes: number | undefined
  readonly #body: Body
  #source: Readable | Buffer | null | undefined = undefined

  constructor(body: Body) {
    this.#body = body
    this.lengthBytes = body.lengthBytes
  }

  source(): Readable | Buffer | null {
    if (this.#source === undefined) this.#source = this.#body.source()
    return this.#source
  }

  pipe(to: BodySink): void {
    this.#body.pipe(to)
  }

  read(limitBytes: number): Promise<Buffer> {
    return this.#body.read(limitBytes)
  }

  drop(): void {
    this.#body.drop()
  }
}
