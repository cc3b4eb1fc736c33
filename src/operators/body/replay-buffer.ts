import type { Readable } from 'node:stream'
import { type Body, bodyAlreadyUsed, type BodySink } from '../../model/exchange/body.ts'
import { PipedBody } from './piped-body.ts'
import { readableOf } from './node-readable.ts'

/**
 * Records a body up to a limit while passing it on, so that it can be sent again while it is still arriving: each
 * replay begins at the first byte and continues with the source. One replay is active at a time; a new one replaces
 * it.
 */
export class Recording implements BodySink {
  readonly #source: Body
  readonly #limitBytes: number
  /** Undefined once the recording is closed or too long. */
  #chunks: Uint8Array[] | undefined = []
  #sizeBytes = 0
  #begun = false
  #closed = false
  #failed = false
  #ending: ((to: BodySink) => void) | undefined = undefined
  #to: BodySink | undefined = undefined
  #resume: (() => void) | undefined = undefined

  constructor(source: Body, limitBytes: number) {
    this.#source = source
    this.#limitBytes = limitBytes
  }

  /** Whether nothing is missing: a replay would be the original body. */
  get isWhole(): boolean {
    return this.#chunks !== undefined && !this.#failed
  }

  get lengthBytes(): number | undefined {
    return this.#source.lengthBytes
  }

  /** The body from its beginning. The previous replay gets nothing more. */
  replay(): Body {
    this.#to = undefined
    return new Replay(this)
  }

  /** Discards the recording. The active replay continues; without one, the rest of the source is discarded. */
  close(): void {
    this.#closed = true
    this.#chunks = undefined
    if (!this.#to) this.#flow()
  }

  attach(to: BodySink): void {
    this.#to = to
    let flows = true
    for (const chunk of this.#chunks ?? []) flows = to.write(chunk)
    this.#dropIfTooLong()
    if (!this.#begun) {
      this.#begun = true
      this.#source.pipe(this)
    } else if (this.#ending) this.#ending(to)
    else if (flows) this.#flow()
    else this.#flowOnDrain(to)
  }

  detach(from: BodySink): void {
    if (this.#to !== from) return
    this.#to = undefined
    if (this.#closed) this.#flow()
  }

  write(chunk: Uint8Array): boolean {
    if (this.#chunks) {
      this.#chunks.push(chunk)
      this.#sizeBytes += chunk.length
    }
    if (!this.#to) return this.#closed
    // Without a consumer everything is kept: a retry is about to begin.
    this.#dropIfTooLong()
    return this.#to.write(chunk)
  }

  end(trailers?: readonly string[]): void {
    this.#ending = (to) => {
      to.end(trailers)
    }
    this.#to?.end(trailers)
  }

  fail(fault: unknown): void {
    this.#failed = true
    this.#ending = (to) => {
      to.fail(fault)
    }
    this.#to?.fail(fault)
  }

  onDrain(resume: () => void): void {
    this.#resume = resume
    if (this.#to) this.#flowOnDrain(this.#to)
  }

  /** The backpressure of an earlier consumer must not pause the present one, nor its drain resume the source. */
  #flowOnDrain(to: BodySink): void {
    to.onDrain(() => {
      if (this.#to === to) this.#flow()
    })
  }

  #flow(): void {
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }

  #dropIfTooLong(): void {
    if (this.#sizeBytes > this.#limitBytes) this.#chunks = undefined
  }
}

class Replay extends PipedBody {
  readonly #recording: Recording
  #to: BodySink | undefined = undefined
  #used = false

  constructor(recording: Recording) {
    super()
    this.#recording = recording
  }

  get lengthBytes(): number | undefined {
    return this.#recording.lengthBytes
  }

  pipe(to: BodySink): void {
    if (this.#used) throw bodyAlreadyUsed()
    this.#used = true
    this.#to = to
    this.#recording.attach(to)
  }

  drop(): void {
    this.#used = true
    if (this.#to) this.#recording.detach(this.#to)
  }

  override source(): Readable {
    return readableOf(this, (readable) => {
      this.#recording.detach(readable)
    })
  }
}
