import type { Body, BodySink, BufferLease } from '../../../model/exchange/body.ts'
import type { LlmOutcome } from '../../../model/llm/usage-record.ts'
import { PassingSink } from '../../../model/exchange/pass-through-sink.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import { PassingBody } from '../../body/pass-through-body.ts'
import type { ObservedBody } from './stream-observer.ts'
import { AttributeScan } from './scan-attributes.ts'

/** Called with the attributes of a response, and how it ended. */
export type OnReplyEnd = (json: JsonObject | undefined, outcome: LlmOutcome, problem?: string) => void

/** A JSON response that passes to the client unchanged, and is tapped for its attributes. */
export class PassthroughBody extends PassingBody implements ObservedBody {
  readonly reportsFailure = false
  readonly #ended: OnReplyEnd
  readonly #allBytes: number | undefined
  #isOver = false

  /** @param allBytes Up to this size the whole response is captured, not only its attributes. */
  constructor(source: Body, ended: OnReplyEnd, allBytes?: number) {
    super(source)
    this.#ended = ended
    this.#allBytes = allBytes
  }

  pipe(to: BodySink): void {
    this.body.pipe(
      new AttributeSink(to, this.lengthBytes, this.#allBytes, (json, outcome, problem) => {
        this.#end(json, outcome, problem)
      }),
    )
  }

  override drop(): void {
    this.abandon()
    super.drop()
  }

  /** The client has disconnected, and nothing follows. */
  abandon(): void {
    this.#end(undefined, 'abandoned')
  }

  #end(json: JsonObject | undefined, outcome: LlmOutcome, problem?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#ended(json, outcome, problem)
  }
}

class AttributeSink extends PassingSink {
  readonly #scan: AttributeScan
  readonly #lengthBytes: number | undefined
  readonly #ended: OnReplyEnd

  constructor(
    to: BodySink,
    lengthBytes: number | undefined,
    allBytes: number | undefined,
    ended: OnReplyEnd,
  ) {
    super(to)
    this.#lengthBytes = lengthBytes
    this.#scan = new AttributeScan(allBytes)
    this.#ended = ended
  }

  override write(chunk: Uint8Array, lease?: BufferLease): boolean {
    if (chunk.length === this.#lengthBytes) this.#scan.all(chunk)
    else this.#scan.push(chunk)
    return this.to.write(chunk, lease)
  }

  override end(trailers?: readonly string[]): void {
    this.#ended(this.#scan.read(), 'answered')
    this.to.end(trailers)
  }

  override fail(fault: unknown): void {
    this.#ended(undefined, 'cut', fault instanceof Error ? fault.message : 'it broke off')
    this.to.fail(fault)
  }
}
