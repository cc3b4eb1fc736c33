import type { Readable, Writable } from 'node:stream'
import { BufferBody } from '../model/body.ts'
import type { Fault } from '../model/fault.ts'
import { readResponseHead } from '../protocols/http/response-head.ts'
import { AnswerBody } from './answer-body.ts'
import type { RawFields, UpstreamCall, UpstreamEvents, UpstreamRequest } from './call.ts'
import { malformedAnswer, requestBodyBroken } from './fault.ts'
import { type RequestEnd, RequestWriter } from './request-writer.ts'

/** Resends after which a request is given up. */
const RESENDS = 3

/**
 * What calls through the streams of Node have in common, whatever the protocol: the body of the request goes into one
 * stream, the body of the answer comes out of one, and both can break.
 */
export abstract class StreamCall extends AnswerBody implements UpstreamCall, RequestEnd {
  protected readonly request: UpstreamRequest
  protected readonly events: UpstreamEvents
  /** No event may follow. */
  protected over = false
  /** Something of an answer has come. */
  protected answering = false
  #down: Readable | undefined = undefined
  #resends = 0
  #receivedBytes = 0

  constructor(request: UpstreamRequest, events: UpstreamEvents) {
    super()
    this.request = request
    this.events = events
  }

  abort(): void {
    if (this.over) return
    this.over = true
    this.giveUp()
  }

  abstract bodyEnded(trailers: readonly string[] | undefined): void

  bodyBroke(fault: unknown): void {
    this.fail(requestBodyBroken(fault))
    this.letGo()
  }

  /** Sends the request, for the first time or again. */
  protected abstract send(): void

  protected sendBody(up: Writable): void {
    this.request.body.pipe(new RequestWriter(up, this))
  }

  /** The head of an answer came, its body comes out of `down`. False if it was refused. */
  protected receive(
    status: number,
    fields: readonly string[] | Readonly<Record<string, string | string[] | undefined>>,
    down: Readable,
    isBodiless: boolean,
    raw?: RawFields,
  ): void {
    if (this.over) return
    this.answering = true
    const head = readResponseHead(status, fields)
    if ('refused' in head) {
      this.fail(malformedAnswer(head.message))
      this.letGo()
      return
    }
    this.#down = down
    this.lengthBytes = isBodiless || status === 204 || status === 304 ? 0 : head.contentLength
    down.on('data', (chunk: Buffer) => {
      this.#receivedBytes += chunk.length
      this.push(chunk)
    })
    this.events.head(status, head.headers, this, raw)
    if (!this.used) down.pause()
  }

  /** The last byte of the answer came. */
  protected received(trailers: readonly string[] | undefined): void {
    if (this.over) return
    // A stream that is reset without an error looks like one that ended.
    if (this.lengthBytes !== undefined && this.#receivedBytes !== this.lengthBytes) {
      this.fail(malformedAnswer('the body does not have the length that was announced'))
      return
    }
    this.over = true
    if (this.complete(trailers)) this.events.end(trailers)
    else this.whenTaken(() => this.events.end(trailers))
  }

  protected fail(fault: Fault): void {
    if (this.over) return
    this.over = true
    this.breakOff(fault)
    this.events.fail(fault)
  }

  /** Sends the request once more, if that can be done; false if not. */
  protected resend(): boolean {
    if (this.over || this.answering || this.#resends === RESENDS) return false
    if (this.request.body.lengthBytes !== 0 && !(this.request.body instanceof BufferBody)) return false
    this.#resends++
    setImmediate(() => {
      if (!this.over) this.send()
    })
    return true
  }

  protected override pause(): void {
    this.#down?.pause()
  }

  protected override resume(): void {
    this.#down?.resume()
  }

  protected override cut(): void {
    if (this.over) return
    this.abort()
    queueMicrotask(() => this.events.end())
  }
}
