import type { Readable } from 'node:stream'
import type { Body, BodySink } from '../../../model/body.ts'
import { Fault } from '../../../model/fault.ts'
import { collect } from '../../body/collect.ts'
import { readableOf } from '../../body/readable.ts'
import { MultipartModel } from './multipart-model.ts'

/** What is said of a form that names two models. */
export const TWO_MODELS = 'it has the field "model" twice'

/**
 * A form that is longer than what was read of it. A second field `model` breaks it off, so that no provider takes it for
 * whole: it was let through for the first one.
 */
export class OneModelBody implements Body {
  readonly #body: Body
  readonly #type: string

  /** @param type The content type, with the boundary. */
  constructor(body: Body, type: string) {
    this.#body = body
    this.#type = type
  }

  get lengthBytes(): number | undefined {
    return this.#body.lengthBytes
  }

  pipe(to: BodySink): void {
    this.#body.pipe(new OneModelSink(to, this.#type))
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

class OneModelSink implements BodySink {
  readonly #to: BodySink
  readonly #models: MultipartModel
  #isBroken = false

  constructor(to: BodySink, type: string) {
    this.#to = to
    this.#models = new MultipartModel(type)
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isBroken) return true
    this.#models.push(chunk)
    if (this.#models.count < 2) return this.#to.write(chunk)
    this.#isBroken = true
    this.#to.fail(
      new Fault('invalid_request_body', `LLM request body must be unambiguous: ${TWO_MODELS}`, {
        status: 400,
        reason: 'InvalidRequest',
      }),
    )
    return true
  }

  end(trailers?: readonly string[]): void {
    if (!this.#isBroken) this.#to.end(trailers)
  }

  fail(fault: unknown): void {
    if (!this.#isBroken) this.#to.fail(fault)
  }

  onDrain(resume: () => void): void {
    this.#to.onDrain(resume)
  }
}
