import type { Readable } from 'node:stream'
import { type Body, bodyAlreadyUsed, type BodySink, bodyTooLarge } from '../model/exchange/body.ts'

/**
 * A body whose bytes the test sends. It observes backpressure: what its consumer does not take yet is queued.
 *
 * @example
 * const body = new ManualBody()
 * const reading = body.read(100)
 * body.send('hel').send('lo').end()
 * assert.equal(String(await reading), 'hello')
 */
export class ManualBody implements Body {
  readonly lengthBytes: number | undefined
  /** Whether its consumer dropped it. */
  dropped = false
  /** Number of chunks that its consumer has taken. */
  taken = 0
  readonly #queue: ((to: BodySink) => boolean)[] = []
  #sink: BodySink | undefined = undefined
  #used = false
  #waiting = false

  constructor(lengthBytes?: number) {
    this.lengthBytes = lengthBytes
  }

  /** Whether the consumer has paused it. */
  get paused(): boolean {
    return this.#waiting
  }

  send(chunk: string | Uint8Array): this {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    return this.#then((to) => {
      this.taken++
      return to.write(bytes)
    })
  }

  end(trailers?: readonly string[]): this {
    return this.#then((to) => {
      to.end(trailers)
      return true
    })
  }

  /** A fault is delivered even to a paused consumer, and nothing follows it. */
  fail(fault: unknown): this {
    this.#queue.length = 0
    this.#waiting = false
    return this.#then((to) => {
      to.fail(fault)
      return true
    })
  }

  pipe(to: BodySink): void {
    if (this.#used) throw bodyAlreadyUsed()
    this.#used = true
    this.#sink = to
    this.#flow()
  }

  read(limitBytes: number): Promise<Buffer> {
    if (this.#used) throw bodyAlreadyUsed()
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = []
      let sizeBytes = 0
      this.pipe({
        write: (chunk) => {
          chunks.push(chunk)
          sizeBytes += chunk.length
          if (sizeBytes > limitBytes) reject(bodyTooLarge(limitBytes))
          return true
        },
        end: () => {
          resolve(Buffer.concat(chunks))
        },
        fail: reject,
        onDrain: () => undefined,
      })
    })
  }

  drop(): void {
    this.dropped = true
    this.#used = true
    this.#sink = undefined
  }

  /** Not supported: fake upstreams read bodies with `pipe` or `read`. */
  source(): Readable {
    throw new Error('a manual body is read with pipe or read')
  }

  #then(step: (to: BodySink) => boolean): this {
    this.#queue.push(step)
    this.#flow()
    return this
  }

  #flow(): void {
    while (this.#sink && !this.#waiting) {
      const step = this.#queue.shift()
      if (!step) return
      if (step(this.#sink)) continue
      this.#waiting = true
      this.#sink.onDrain(() => {
        this.#waiting = false
        this.#flow()
      })
    }
  }
}
