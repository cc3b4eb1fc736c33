import type { Body, BodySink, BufferLease } from '../../../model/exchange/body.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { PassingSink } from '../../../model/exchange/pass-through-sink.ts'
import { PassingBody } from '../../body/pass-through-body.ts'
import { MultipartModel } from './multipart-model.ts'

/** The problem of a form with two models. */
export const TWO_MODELS = 'it has the field "model" twice'

/**
 * A form that is longer than its inspected beginning. A second field `model` ends it with an error, so that the
 * provider gets no complete form: it was routed by the first one.
 */
export class SingleModelForm extends PassingBody {
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

  override write(chunk: Uint8Array, lease?: BufferLease): boolean {
    if (this.#isBroken) return true
    this.#models.push(chunk)
    if (this.#models.count < 2) return this.to.write(chunk, lease)
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
