import type { ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import { Readable } from 'node:stream'
import { type Body, bodyAlreadyUsed, type BodySink, bodyTooLarge } from '../../../model/exchange/body.ts'
import { Fault } from '../../../model/exchange/fault.ts'

/** The body of a request. Consuming it also sends the 100 (Continue) that a client may wait for. */
abstract class RequestBody implements Body {
  readonly lengthBytes: number | undefined
  readonly #stream: Readable
  /** The client sends only after a 100 (Continue). */
  #isAwaited: boolean
  #used = false

  constructor(stream: Readable, lengthBytes: number | undefined, isAwaited: boolean) {
    this.#stream = stream
    this.lengthBytes = lengthBytes
    this.#isAwaited = isAwaited
  }

  /** Sends 100 (Continue). */
  protected abstract proceed(): void
  /** Trailers after the body, lower-case names. */
  protected abstract trailers(): readonly string[]

  source(): Readable {
    this.#take()
    return this.#stream
  }

  pipe(to: BodySink): void {
    this.#take()
    const stream = this.#stream
    let over = false
    const fail = (cause?: unknown) => {
      if (over) return
      over = true
      to.fail(brokenOff(cause))
    }
    stream.on('data', (chunk: Buffer) => {
      if (over || to.write(chunk)) return
      stream.pause()
      to.onDrain(() => stream.resume())
    })
    stream.on('end', () => {
      if (over) return
      over = true
      const trailers = this.trailers()
      to.end(trailers.length ? trailers : undefined)
    })
    stream.on('error', fail).on('close', fail)
  }

  read(limitBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = []
      let sizeBytes = 0
      this.pipe({
        write(chunk) {
          sizeBytes += chunk.length
          if (sizeBytes <= limitBytes) chunks.push(chunk)
          else {
            chunks.length = 0
            reject(bodyTooLarge(limitBytes))
          }
          return true
        },
        end: () => resolve(Buffer.concat(chunks, sizeBytes)),
        fail: reject,
        onDrain: () => undefined,
      })
    })
  }

  drop(): void {
    // Nothing is requested: bytes that the client sends anyway are handled once the reply is out.
    this.#used = true
  }

  #take(): void {
    if (this.#used) throw bodyAlreadyUsed()
    this.#used = true
    if (!this.#isAwaited) return
    this.#isAwaited = false
    this.proceed()
  }
}

/** The body of an HTTP/1.1 request. */
export class Http1Body extends RequestBody {
  readonly #res: ServerResponse

  constructor(res: ServerResponse, lengthBytes: number | undefined, isAwaited: boolean) {
    super(res.req, lengthBytes, isAwaited)
    this.#res = res
  }

  protected proceed(): void {
    this.#res.writeContinue()
  }

  protected trailers(): readonly string[] {
    return this.#res.req.rawTrailers.map((part, i) => (i % 2 ? part : part.toLowerCase()))
  }
}

/** The body of an HTTP/2 request. */
export class Http2Body extends RequestBody {
  /** Set when the trailers are complete and valid. */
  received: readonly string[] = []
  readonly #stream: ServerHttp2Stream

  constructor(stream: ServerHttp2Stream, lengthBytes: number | undefined, isAwaited: boolean) {
    super(stream, lengthBytes, isAwaited)
    this.#stream = stream
  }

  override source(): Readable {
    super.source()
    return new Upload(this.#stream)
  }

  protected proceed(): void {
    if (!this.#stream.headersSent && !this.#stream.destroyed)
      this.#stream.additionalHeaders({ ':status': 100 })
  }

  protected trailers(): readonly string[] {
    return this.received
  }
}

/**
 * The readable half of an HTTP/2 stream on its own: HTTP clients destroy the body they have sent, while the reply still
 * has to be written to the other half.
 */
class Upload extends Readable {
  readonly #stream: ServerHttp2Stream

  constructor(stream: ServerHttp2Stream) {
    super({ highWaterMark: UPLOAD_BUFFER_BYTES })
    this.#stream = stream
    stream.on('data', (chunk: Buffer) => {
      if (!this.destroyed && !this.push(chunk)) stream.pause()
    })
    stream.on('end', () => this.push(null))
    stream.on('close', () => {
      if (!stream.readableEnded) this.destroy(brokenOff(undefined))
    })
  }

  override _read(): void {
    this.#stream.resume()
  }

  override _destroy(fault: Error | null, callback: (fault: Error | null) => void): void {
    // The rest has no reader: a paused stream would never end.
    this.#stream.resume()
    callback(fault)
  }
}

const UPLOAD_BUFFER_BYTES = 65_536

/** The fault of a client that disconnected, or broke the framing, before its body was complete. */
const brokenOff = (cause: unknown): Fault =>
  new Fault('request_body_broken', 'the request body ended early', {
    status: 400,
    reason: 'InvalidRequest',
    cause,
  })
