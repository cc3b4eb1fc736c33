import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { type Body, bodyAlreadyUsed, type BodySink, bodyTooLarge } from '../../model/body.ts'
import { Fault } from '../../model/fault.ts'

/** The body of an HTTP/1.1 request. Whoever begins to consume it also lets a client that waits for it send it. */
export class Http1Body implements Body {
  readonly lengthBytes: number | undefined
  readonly #req: IncomingMessage
  /** Present until a client that asked has been told to go on. */
  #awaited: ServerResponse | undefined
  #used = false

  /** @param awaited The response through which the client is told to go on, if it waits for that. */
  constructor(req: IncomingMessage, lengthBytes: number | undefined, awaited: ServerResponse | undefined) {
    this.#req = req
    this.lengthBytes = lengthBytes
    this.#awaited = awaited
  }

  source(): Readable {
    this.#take()
    return this.#req
  }

  pipe(to: BodySink): void {
    this.#take()
    const req = this.#req
    let over = false
    const fail = (cause?: unknown) => {
      if (over) return
      over = true
      to.fail(brokenOff(cause))
    }
    req.on('data', (chunk: Buffer) => {
      if (over || to.write(chunk)) return
      req.pause()
      to.onDrain(() => req.resume())
    })
    req.on('end', () => {
      if (over) return
      over = true
      to.end(req.rawTrailers.length ? lowerNames(req.rawTrailers) : undefined)
    })
    req.on('error', fail).on('close', fail)
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
    // Nothing is asked for: what the client sends all the same is dealt with when its answer is out.
    this.#used = true
  }

  #take(): void {
    if (this.#used) throw bodyAlreadyUsed()
    this.#used = true
    this.#awaited?.writeContinue()
    this.#awaited = undefined
  }
}

/** The fault of a client that left, or broke the framing, before its body was whole. */
export const brokenOff = (cause: unknown): Fault =>
  new Fault('request_body_broken', 'the request body ended early', {
    status: 400,
    reason: 'InvalidRequest',
    cause,
  })

const lowerNames = (raw: readonly string[]): string[] =>
  raw.map((part, i) => (i % 2 ? part : part.toLowerCase()))
