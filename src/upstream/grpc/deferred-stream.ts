import { abandoned } from '../faults.ts'
import type { MessageStream } from './grpc-stream.ts'

/**
 * A stream that opens later, because its opening depends on something. Until then it buffers a message or two, and then
 * applies backpressure.
 */
export class DeferredStream<I> implements MessageStream<I> {
  #stream: MessageStream<I> | undefined = undefined
  #isOver = false
  #isPaused = false
  #isFinished = false
  #resume: (() => void) | undefined = undefined
  readonly #waiting: I[] = []
  readonly #ended: (fault: unknown) => void

  /**
   * @param ready Settles once the stream can be opened.
   * @param ended Called, as the only callback, if it never can be, or is no longer needed.
   */
  constructor(ready: Promise<unknown>, open: () => MessageStream<I>, ended: (fault: unknown) => void) {
    this.#ended = ended
    ready.then(
      () => {
        if (!this.#isOver) this.#begin(open())
      },
      (fault: unknown) => {
        this.#end(fault)
      },
    )
  }

  send(message: I): boolean {
    if (this.#stream) return this.#stream.send(message)
    this.#waiting.push(message)
    return false
  }

  onDrain(resume: () => void): void {
    if (this.#stream) this.#stream.onDrain(resume)
    else this.#resume = resume
  }

  finish(): void {
    this.#isFinished = true
    this.#stream?.finish()
  }

  pause(): void {
    this.#isPaused = true
    this.#stream?.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#stream?.resume()
  }

  cancel(): void {
    if (this.#stream) this.#stream.cancel()
    else
      queueMicrotask(() => {
        this.#end(abandoned)
      })
  }

  #begin(stream: MessageStream<I>): void {
    this.#stream = stream
    if (this.#isPaused) stream.pause()
    let hasRoom = true
    for (const message of this.#waiting.splice(0)) hasRoom = stream.send(message)
    if (this.#isFinished) stream.finish()
    const resume = this.#resume
    this.#resume = undefined
    if (!resume) return
    if (hasRoom) resume()
    else stream.onDrain(resume)
  }

  #end(fault: unknown): void {
    if (this.#isOver || this.#stream) return
    this.#isOver = true
    this.#waiting.length = 0
    this.#ended(fault)
  }
}
