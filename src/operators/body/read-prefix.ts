import { type Body, bodyAlreadyUsed, type BodySink, type BufferLease } from '../../model/exchange/body.ts'
import { BufferedBody } from './buffered-body.ts'
import { PipedBody } from './piped-body.ts'

/** Either all of a body, or one that is longer than was asked for and still whole: its source waits. */
export type Ahead = { readonly whole: BufferedBody } | { readonly longer: LongerBody }

/** A body that is longer than was asked for. */
export interface LongerBody extends Body {
  /** As much of its beginning as was asked for; to be called before the body is consumed. */
  beginning(): Buffer
  /** All that has come, which may be more than was asked for; to be called before the body is consumed. */
  received(): Buffer
}

/**
 * Reads a body into memory up to a limit, and loses nothing beyond it.
 *
 * Rejects if the body fails before either is known.
 *
 * @param isEnough Is shown each chunk; once it says so, the body counts as longer.
 */
export const readAhead = (
  body: Body,
  limitBytes: number,
  isEnough: (chunk: Uint8Array) => boolean = () => false,
): Promise<Ahead> =>
  new Promise((resolve, reject) => {
    body.pipe(new ReadAhead(body, { limitBytes, isEnough }, resolve, reject))
  })

/** How far is read. */
interface Reach {
  readonly limitBytes: number
  readonly isEnough: (chunk: Uint8Array) => boolean
}

/** Collects, then passes on: what came first, and what follows as it comes. */
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
  /** What came while nobody had taken the longer body. */
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
    // Where the source cannot be stopped, what it still sends is let through.
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
