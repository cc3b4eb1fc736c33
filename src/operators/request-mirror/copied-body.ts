import { pipeline, type Readable, Transform } from 'node:stream'
import type { Body, BodySink, BufferLease } from '../../model/exchange/body.ts'
import { PassingSink } from '../../model/exchange/pass-through-sink.ts'

/** Memory for the bodies of all copies of one mirror. */
export class CopyMemory {
  readonly #limitBytes: number
  #usedBytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** @returns Whether there was enough left. */
  take(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#limitBytes) return false
    this.#usedBytes += bytes
    return true
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes
  }
}

/** The copy of a body, complete or given up. */
export interface CopyEvents {
  /** The memory of the bytes is released by whoever gets them. */
  readonly onCopied: (bytes: Buffer) => void
  /** The body is too long, too slow, broke off, or was not needed by its consumer. */
  readonly onGivenUp: () => void
}

/** A body that is copied while it is consumed, up to a limit. It passes as it would without a copy. */
export class CopiedBody implements Body {
  readonly lengthBytes: number | undefined
  readonly #body: Body
  readonly #copy: Copy

  constructor(body: Body, limitBytes: number, memory: CopyMemory, events: CopyEvents) {
    this.#body = body
    this.lengthBytes = body.lengthBytes
    this.#copy = new Copy(limitBytes, memory, events)
  }

  get knownTrailers(): readonly string[] | undefined {
    return this.#body.knownTrailers
  }

  pipe(to: BodySink): void {
    this.#body.pipe(new CopyingSink(to, this.#copy))
  }

  async read(limitBytes: number): Promise<Buffer> {
    try {
      const bytes = await this.#body.read(limitBytes)
      this.#copy.add(bytes)
      this.#copy.end()
      return bytes
    } catch (error) {
      this.#copy.giveUp()
      throw error
    }
  }

  drop(): void {
    this.#copy.giveUp()
    this.#body.drop()
  }

  source(): Readable | Buffer | null {
    const source = this.#body.source()
    const copy = this.#copy
    if (source === null || Buffer.isBuffer(source)) {
      if (source) copy.add(source)
      copy.end()
      return source
    }
    const through = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        copy.add(chunk)
        done(null, chunk)
      },
    })
    source.on('error', () => undefined) // it is emitted on `through` as well
    return pipeline(source, through, (error) => {
      if (error) copy.giveUp()
      else copy.end()
    })
  }
}

class CopyingSink extends PassingSink {
  readonly #copy: Copy

  constructor(to: BodySink, copy: Copy) {
    super(to)
    this.#copy = copy
  }

  override write(chunk: Uint8Array, lease?: BufferLease): boolean {
    this.#copy.add(chunk)
    return this.to.write(chunk, lease)
  }

  override end(trailers?: readonly string[]): void {
    this.#copy.end()
    this.to.end(trailers)
  }

  override fail(fault: unknown): void {
    this.#copy.giveUp()
    this.to.fail(fault)
  }
}

/** A body that nobody consumes to its end, as after an abort, must not keep its copy. */
const LIMIT_MS = 30_000

/** The bytes so far. */
class Copy {
  readonly #limitBytes: number
  readonly #memory: CopyMemory
  readonly #events: CopyEvents
  #chunks: Buffer[] | undefined = []
  #lengthBytes = 0
  readonly #timer: NodeJS.Timeout

  constructor(limitBytes: number, memory: CopyMemory, events: CopyEvents) {
    this.#timer = setTimeout(() => this.giveUp(), LIMIT_MS)
    this.#timer.unref()
    this.#limitBytes = limitBytes
    this.#memory = memory
    this.#events = events
  }

  add(chunk: Uint8Array): void {
    if (!this.#chunks) return
    if (this.#lengthBytes + chunk.length > this.#limitBytes || !this.#memory.take(chunk.length)) {
      this.giveUp()
      return
    }
    this.#lengthBytes += chunk.length
    this.#chunks.push(Buffer.from(chunk)) // a copy: the source may use its memory again
  }

  end(): void {
    const chunks = this.#chunks
    this.#chunks = undefined
    clearTimeout(this.#timer)
    if (chunks) this.#events.onCopied(Buffer.concat(chunks, this.#lengthBytes))
  }

  giveUp(): void {
    if (!this.#chunks) return
    this.#chunks = undefined
    clearTimeout(this.#timer)
    this.#memory.release(this.#lengthBytes)
    this.#events.onGivenUp()
  }
}
