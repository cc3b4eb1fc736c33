import { type Body, bodyAlreadyUsed, type BodySink, type BufferLease } from '../../model/exchange/body.ts'
import { BufferedBody } from './buffered-body.ts'
import { PipedBody } from './piped-body.ts'

/** A complete body, or one that exceeds the limit and is still intact: its source is paused. */
export type Ahead = { readonly whole: BufferedBody } | { readonly longer: LongerBody }

/** A body that exceeds the limit. */
export interface LongerBody extends Body {
  /** The beginning, up to the limit; to be called before the body is consumed. */
  beginning(): Buffer
  /** All buffered bytes, which may exceed the limit; to be called before the body is consumed. */
  received(): Buffer
}

/**
 * Buffers a body up to a limit, and loses nothing beyond it.
 *
 * Rejects if the body fails before that.
 *
 * @param isEnough Called with each chunk; if it returns true, the body counts as longer.
 */
export const readAhead = (
  body: Body,
  limitBytes: number,
  isEnough: (chunk: Uint8Array) => boolean = () => false,
): Promise<Ahead> =>
  new Promise((resolve, reject) => {
    body.pipe(new ReadAhead(body, { limitBytes, isEnough }, resolve, reject))
  })

/** How much is read. */
interface Reach {
  readonly limitBytes: number
  readonly isEnough: (chunk: Uint8Array) => boolean
}

/** Buffers, then passes on: the buffered chunks first, and then the following ones as they arrive. */
class ReadAhead extends PipedBody implements BodySink, LongerBody {
  readonly lengthBytes: number | undefined
  readonly #source: Body
  readonly #reach: Reach
  readonly #resolve: (ahead: Ahead) => void
  readonly #reject: (fault: unknown) => void
  #chunks: Uint8Array[] = []
  #sizeBytes = 0
  #isLonger = false
  #used = false
  #to: BodySink | undefined = undefined
  #resume: (() => void) | undefined = undefined
  /** The end or failure that arrived before the longer body was consumed. */
  #ending: ((to: BodySink) => void) | undefined = undefined

  constructor(source: Body, reach: Reach, resolve: (ahead: Ahead) => void, reject: (fault: unknown) => void) {
    super()
    this.lengthBytes = source.lengthBytes
    this.#source = source
    this.#reach = reach
    this.#resolve = resolve
    this.#reject = reject
  }

  write(chunk: Uint8Array, lease?: BufferLease): boolean {
    if (this.#to) return this.#to.write(chunk, lease)
    this.#chunks.push(chunk)
    this.#sizeBytes += chunk.length
    if (!this.#isLonger) {
      if (this.#sizeBytes <= this.#reach.limitBytes && !this.#reach.isEnough(chunk)) return true
      this.#isLonger = true
      this.#resolve({ longer: this })
    }
    return false
  }

  end(trailers?: readonly string[]): void {
    if (this.#to) this.#to.end(trailers)
    else if (this.#isLonger)
      this.#ending = (to) => {
        to.end(trailers)
      }
    else this.#resolve({ whole: new BufferedBody(Buffer.concat(this.#chunks, this.#sizeBytes), trailers) })
  }

  fail(fault: unknown): void {
    if (this.#to) this.#to.fail(fault)
    else if (this.#isLonger)
      this.#ending = (to) => {
        to.fail(fault)
      }
    else this.#reject(fault)
  }

  onDrain(resume: () => void): void {
    if (this.#to) this.#to.onDrain(resume)
    else this.#resume = resume
  }

  beginning(): Buffer {
    return Buffer.concat(this.#chunks).subarray(0, this.#reach.limitBytes)
  }

  received(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  pipe(to: BodySink): void {
    if (this.#used) throw bodyAlreadyUsed()
    this.#used = true
    this.#to = to
    let flows = true
    for (const chunk of this.#chunks) flows = to.write(chunk)
    this.#chunks = []
    const resume = this.#resume
    if (this.#ending) this.#ending(to)
    else if (flows) resume?.()
    else if (resume) to.onDrain(resume)
  }

  drop(): void {
    this.#source.drop()
    if (this.#used) return
    // If the source cannot be stopped, the rest is discarded.
    this.pipe(nowhere)
  }
}

const nowhere: BodySink = {
  write: () => true,
  end: () => undefined,
  fail: () => undefined,
  onDrain: (resume) => {
    resume()
  },
}
