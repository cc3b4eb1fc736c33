import { pipeline, type Readable, Transform } from 'node:stream'
import { type Body, type BodySink, BufferBody, type BufferLease } from '../model/exchange/body.ts'
import { PassingSink } from '../model/exchange/pass-through-sink.ts'
import type { Probe } from '../model/trace/probe.ts'

/** Maximum bytes of a body in a trace. */
export const tracedBytes = 64 * 1024

/**
 * The same body; its beginning is traced once it has passed. For exchanges whose probe `wantsBodies`.
 *
 * @example
 * if (x.probe?.wantsBodies) x.request.body = watchBody(x.request.body, x.probe, 'final request')
 */
export const watchBody = (body: Body, probe: Probe, stage: string): Body => {
  if (body.lengthBytes !== 0 && !(body instanceof BufferBody)) return new WatchedBody(body, probe, stage)
  // A buffered body is not wrapped: stages look for `BufferBody`, and it may be sent more than once.
  const seen = new SeenBytes(probe, stage)
  if (body instanceof BufferBody) seen.add(body.bytes)
  seen.record()
  return body
}

class WatchedBody implements Body {
  readonly lengthBytes: number | undefined
  readonly #body: Body
  readonly #seen: SeenBytes

  constructor(body: Body, probe: Probe, stage: string) {
    this.#body = body
    this.lengthBytes = body.lengthBytes
    this.#seen = new SeenBytes(probe, stage)
  }

  pipe(to: BodySink): void {
    this.#body.pipe(new SeenBy(to, this.#seen))
  }

  async read(limitBytes: number): Promise<Buffer> {
    const bytes = await this.#body.read(limitBytes)
    this.#seen.add(bytes)
    this.#seen.record()
    return bytes
  }

  drop(): void {
    this.#body.drop()
  }

  source(): Readable | Buffer | null {
    const source = this.#body.source()
    const seen = this.#seen
    if (source === null || Buffer.isBuffer(source)) {
      if (source) seen.add(source)
      seen.record()
      return source
    }
    const through = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        seen.add(chunk)
        done(null, chunk)
      },
    })
    source.on('error', () => undefined) // it is emitted on `through` as well
    return pipeline(source, through, () => seen.record())
  }
}

/** A sink that also copies the beginning of the body. */
class SeenBy extends PassingSink {
  readonly #seen: SeenBytes

  constructor(to: BodySink, seen: SeenBytes) {
    super(to)
    this.#seen = seen
  }

  override write(chunk: Uint8Array, lease?: BufferLease): boolean {
    this.#seen.add(chunk)
    return this.to.write(chunk, lease)
  }

  override end(trailers?: readonly string[]): void {
    this.#seen.record()
    this.to.end(trailers)
  }

  override fail(fault: unknown): void {
    this.#seen.record()
    this.to.fail(fault)
  }
}

/** The beginning of a body, and its total length. */
class SeenBytes {
  readonly #probe: Probe
  readonly #stage: string
  readonly #chunks: Buffer[] = []
  #kept = 0
  #lengthBytes = 0

  constructor(probe: Probe, stage: string) {
    this.#probe = probe
    this.#stage = stage
  }

  add(chunk: Uint8Array): void {
    this.#lengthBytes += chunk.length
    const room = tracedBytes - this.#kept
    if (room <= 0) return
    const part = Buffer.from(chunk.subarray(0, room)) // a copy: the source may use its memory again
    this.#chunks.push(part)
    this.#kept += part.length
  }

  record(): void {
    const body = Buffer.concat(this.#chunks).toString('base64')
    this.#probe.record({ type: 'bodySnapshot', stage: this.#stage, body, lengthBytes: this.#lengthBytes })
  }
}
