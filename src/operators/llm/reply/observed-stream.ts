import { type Body, bodyAlreadyUsed, type BodySink, type Loan } from '../../../model/body.ts'
import type { LlmOutcome } from '../../../model/llm-usage-record.ts'
import type { ReplyFacts } from '../../../protocols/llm/chat/codec.ts'
import { onceATurn } from '../../body/once-a-turn.ts'
import { PipedBody } from '../../body/piped-body.ts'
import { type KeepAlive, keptAlive } from './keep-alive.ts'
import type { StreamWatch, WatchedBody } from './stream-watch.ts'

/**
 * A provider's stream on its way to the client: kept from looking dead, and watched from its first token to its end. How
 * it becomes what the client reads is up to those who extend it.
 */
export abstract class WatchedStream extends PipedBody implements WatchedBody, BodySink {
  readonly lengthBytes = undefined
  readonly tellsFailure = true
  /** The client; undefined until it reads. */
  protected to: BodySink | undefined = undefined
  /** Its end has been told: what comes now is nobody's. */
  protected isOver = false
  /** What went wrong, where something did. */
  protected problem: string | undefined = undefined
  readonly #source: Body
  readonly #watch: StreamWatch
  #keepAlive: KeepAlive | undefined = undefined
  #hasBegun = false

  constructor(source: Body, watch: StreamWatch) {
    super()
    this.#source = source
    this.#watch = watch
  }

  abstract write(chunk: Uint8Array, loan?: Loan): boolean
  abstract end(trailers?: readonly string[]): void
  abstract fail(fault: unknown): void
  /** What the stream has said of itself so far. */
  protected abstract factsSoFar(): ReplyFacts

  pipe(to: BodySink): void {
    if (this.to) throw bodyAlreadyUsed()
    this.to = to
    this.#keepAlive = keptAlive(to)
    this.#source.pipe(onceATurn(this))
  }

  drop(): void {
    this.abandon()
    this.#source.drop()
  }

  /** Nobody reads any more, and nothing follows. */
  abandon(): void {
    this.finish('abandoned')
  }

  onDrain(resume: () => void): void {
    this.to?.onDrain(resume)
  }

  /** There is something that a reader sees. Only the first time counts. */
  protected begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#watch.began()
  }

  /** Something is written, which is a sign of life as well. */
  protected moved(): void {
    this.#keepAlive?.moved()
  }

  protected finish(outcome: LlmOutcome): void {
    if (this.isOver) return
    this.isOver = true
    this.#keepAlive?.stop()
    this.#watch.ended(this.factsSoFar(), outcome, this.problem)
  }
}
