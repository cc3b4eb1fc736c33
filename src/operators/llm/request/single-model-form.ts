import type { Body, BodySink, Loan } from '../../../model/body.ts'
import { Fault } from '../../../model/fault.ts'
import { PassingSink } from '../../../model/passing-sink.ts'
import { PassingBody } from '../../body/passing-body.ts'
import { MultipartModel } from './multipart-model.ts'

/** What is said of a form that names two models. */
export const TWO_MODELS = 'it has the field "model" twice'

/**
 * A form that is longer than what was read of it. A second field `model` breaks it off, so that no provider takes it for
 * whole: it was let through for the first one.
 */
export class OneModelBody extends PassingBody {
  readonly #type: string

  /** @param type The content type, with the boundary. */
  constructor(body: Body, type: string) {
    super(body)
    this.#type = type
  }

  pipe(to: BodySink): void {
    this.body.pipe(new OneModelSink(to, this.#type))
  }
}

class OneModelSink extends PassingSink {
  readonly #models: MultipartModel
  #isBroken = false

  constructor(to: BodySink, type: string) {
    super(to)
    this.#models = new MultipartModel(type)
  }

  override write(chunk: Uint8Array, loan?: Loan): boolean {
    if (this.#isBroken) return true
    this.#models.push(chunk)
    if (this.#models.count < 2) return this.to.write(chunk, loan)
    this.#isBroken = true
    this.to.fail(
      new Fault('invalid_request_body', `LLM request body must be unambiguous: ${TWO_MODELS}`, {
        status: 400,
        reason: 'InvalidRequest',
      }),
    )
    return true
  }

  override end(trailers?: readonly string[]): void {
    if (!this.#isBroken) this.to.end(trailers)
  }

  override fail(fault: unknown): void {
    if (!this.#isBroken) this.to.fail(fault)
  }
}
