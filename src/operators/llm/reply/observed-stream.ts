import { type Body, bodyAlreadyUsed, type BodySink, type BufferLease } from '../../../model/exchange/body.ts'
import type { LlmOutcome } from '../../../model/llm/usage-record.ts'
import type { ReplyAttributes } from '../../../protocols/llm/chat/codec.ts'
import { onceATurn } from '../../body/coalesce-writes.ts'
import { PipedBody } from '../../body/piped-body.ts'
import { type KeepAlive, keptAlive } from '../../body/sse-keep-alive.ts'
import type { StreamObserver, ObservedBody } from './stream-observer.ts'

/**
 * A provider's stream on its way to the client, with keep-alives, observed from its first token to its end.
 * Subclasses convert it.
 */
export abstract class ObservedStream extends PipedBody implements ObservedBody, BodySink {
  readonly lengthBytes = undefined
  readonly reportsFailure = true
  /** The client; undefined until it reads. */
  protected to: BodySink | undefined = undefined
  /** The end has been reported: later input is ignored. */
  protected isOver = false
  /** What failed, if something did. */
  protected problem: string | undefined = undefined
  readonly #source: Body
  readonly #watch: StreamObserver
  #keepAlive: KeepAlive | undefined = undefined
  #hasBegun = false

  constructor(source: Body, watch: StreamObserver) {
    super()
    this.#source = source
    this.#watch = watch
  }

  abstract write(chunk: Uint8Array, lease?: BufferLease): boolean
  abstract end(trailers?: readonly string[]): void
  abstract fail(fault: unknown): void
  /** The attributes of the stream so far. */
  protected abstract attributesSoFar(): ReplyAttributes

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

  /** The client has disconnected, and nothing follows. */
  abandon(): void {
    this.finish('abandoned')
  }

  onDrain(resume: () => void): void {
    this.to?.onDrain(resume)
  }

  /** Reports the first visible content, once. */
  protected begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#watch.began()
  }

  /** Something was sent, so no keep-alive is due. */
  protected onWrite(): void {
    this.#keepAlive?.moved()
  }

  protected finish(outcome: LlmOutcome): void {
    if (this.isOver) return
    this.isOver = true
    this.#keepAlive?.stop()
    this.#watch.ended(this.attributesSoFar(), outcome, this.problem)
  }
}
