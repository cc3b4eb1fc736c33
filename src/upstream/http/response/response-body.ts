import { type Body, bodyAlreadyUsed, type BodySink, bodyTooLarge, type Loan } from '../model/body.ts'
import { Fault } from '../model/fault.ts'

/** Bodies that nobody wants are read to their end if they are this small, so that the connection stays usable. */
const DRAIN_LIMIT_BYTES = 65_536
/** An upstream that takes longer than this to finish such a body loses the connection all the same. */
const DRAIN_LIMIT_MS = 1_000

/**
 * The body of an upstream's answer, fed by whatever client made the call. It is the base of the calls themselves, so that
 * an answer costs no object of its own.
 *
 * Clients go on for a moment after `pause`, and some end while paused; what comes before a consumer is there is kept.
 */
export abstract class AnswerBody implements Body {
  lengthBytes: number | undefined = undefined
  /** Consumed, or dropped. */
  protected used = false
  #draining = false
  #sink: BodySink | undefined = undefined
  /** Chunks that came early. */
  #early: Uint8Array[] | undefined = undefined
  #ended = false
  #trailers: readonly string[] | undefined = undefined
  #fault: Fault | undefined = undefined
  #taken: (() => void) | undefined = undefined
  #onDrain: (() => void) | undefined = undefined

  /** Stop sending. */
  protected abstract pause(): void
  protected abstract resume(): void
  /** Nobody wants the rest, and it is too long to be waited for. */
  protected abstract cut(): void
  /** Lets go of the connection, or of this call's part in it. */
  protected abstract letGo(): void

  pipe(to: BodySink): void {
    this.#take()
    if (this.#fault) {
      to.fail(this.#fault)
      return
    }
    const early = this.#early
    this.#early = undefined
    let goOn = true
    if (early) for (const chunk of early) goOn = to.write(chunk) && goOn
    if (this.#ended) {
      to.end(this.#trailers)
      if (this.#taken) queueMicrotask(this.#taken)
      return
    }
    this.#sink = to
    if (goOn) this.resume()
    else this.#wait(to)
  }

  read(limitBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = []
      let sizeBytes = 0
      this.pipe({
        write: (chunk, loan) => {
          sizeBytes += chunk.length
          if (sizeBytes <= limitBytes) {
            chunks.push(loan ? Buffer.from(chunk) : chunk)
            loan?.giveBack(chunk)
            return true
          }
          chunks.length = 0
          reject(bodyTooLarge(limitBytes))
          this.#sink = undefined
          this.cut()
          return true
        },
        end: () => resolve(Buffer.concat(chunks, sizeBytes)),
        fail: reject,
        onDrain: () => undefined,
      })
    })
  }

  drop(): void {
    if (this.used && !this.#sink) return
    this.used = true
    this.#sink = undefined
    this.#early = undefined
    if (this.#ended) {
      if (this.#taken) queueMicrotask(this.#taken)
    } else if (this.lengthBytes !== undefined && this.lengthBytes <= DRAIN_LIMIT_BYTES) {
      this.#draining = true
      this.resume()
    } else this.cut()
  }

  source(): never {
    throw new Fault('body_not_forwardable', 'the body of an answer cannot be sent as a request')
  }

  /** A chunk came, and may be on loan. */
  protected push(chunk: Uint8Array, loan?: Loan): void {
    const sink = this.#sink
    if (sink) {
      if (!sink.write(chunk, loan)) this.#wait(sink)
    } else if (this.used) loan?.giveBack(chunk)
    else (this.#early ??= []).push(chunk)
  }

  /** The last byte came. False if nobody has asked for the body yet: `whenTaken` tells. */
  protected complete(trailers: readonly string[] | undefined): boolean {
    this.#ended = true
    this.#trailers = trailers
    const sink = this.#sink
    this.#sink = undefined
    sink?.end(trailers)
    return this.used
  }

  /** What to do once a body that ended early has been consumed. */
  protected whenTaken(taken: () => void): void {
    this.#taken = taken
  }

  /** The bytes broke off. */
  protected breakOff(fault: Fault): void {
    this.#fault = fault
    this.#sink?.fail(fault)
    this.#sink = undefined
  }

  /** The call is given up: a short rest that is being read to its end may still come, anything else is cut off. */
  protected giveUp(): void {
    if (this.#draining) setTimeout(() => this.letGo(), DRAIN_LIMIT_MS).unref()
    else this.letGo()
  }

  #wait(sink: BodySink): void {
    this.pause()
    sink.onDrain((this.#onDrain ??= () => this.resume()))
  }

  #take(): void {
    if (this.used) throw bodyAlreadyUsed()
    this.used = true
  }
}
