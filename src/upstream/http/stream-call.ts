import type { Readable, Writable } from 'node:stream'
import { BufferBody } from '../../model/exchange/body.ts'
import type { Fault } from '../../model/exchange/fault.ts'
import { readResponseHead } from '../../protocols/http/response-head.ts'
import { ResponseBody } from './response/response-body.ts'
import type { ResponseHeadWaiter } from './response/response-heads.ts'
import { InformationalLimit } from './response/informational.ts'
import type { RawFields, UpstreamCall, UpstreamEvents, UpstreamRequest } from '../call.ts'
import { malformedResponse, requestBodyBroken } from '../faults.ts'
import { type RequestEnd, RequestWriter } from './request-writer.ts'

/** Resends after which a request fails. */
const RESENDS = 3

/**
 * The common part of calls over Node streams, for any protocol: the request body is written to one stream, the response
 * body read from one, and both can break.
 */
export abstract class StreamCall
  extends ResponseBody
  implements UpstreamCall, RequestEnd, ResponseHeadWaiter
{
  protected readonly request: UpstreamRequest
  protected readonly events: UpstreamEvents
  /** No event may follow. */
  protected over = false
  /** A part of a response was received. */
  protected isResponding = false
  #down: Readable | undefined = undefined
  #resends = 0
  #receivedBytes = 0
  #informational: InformationalLimit | undefined = undefined

  constructor(request: UpstreamRequest, events: UpstreamEvents) {
    super()
    this.request = request
    this.events = events
  }

  abort(): void {
    if (this.over) return
    this.over = true
    this.abandon()
  }

  abstract bodyEnded(trailers: readonly string[] | undefined): void

  bodyBroke(fault: unknown): void {
    this.fail(requestBodyBroken(fault))
    this.releaseConnection()
  }

  /** Sends the request, for the first time or again. */
  protected abstract send(): void

  protected sendBody(up: Writable): void {
    this.request.body.pipe(new RequestWriter(up, this))
  }

  /** An informational response was received. False if nothing more should be read until `resume` is called. */
  informed(status: number, fields: readonly string[], resume: () => void): boolean {
    if (this.over) return true
    this.isResponding = true
    const head = readResponseHead(status, fields)
    const fault =
      'refused' in head
        ? malformedResponse(head.message)
        : (this.#informational ??= new InformationalLimit()).exceeded(fields)
    if (fault) {
      this.spoiled(fault)
      return true
    }
    return status === 100 || 'refused' in head || this.events.info(status, head.headers, resume)
  }

  spoiled(fault: Fault): void {
    this.fail(fault)
    this.releaseConnection()
  }

  /** The head of a response was received; its body comes from `down`. False if it was refused. */
  protected receive(
    status: number,
    fields: readonly string[] | Readonly<Record<string, string | string[] | undefined>>,
    down: Readable,
    isBodiless: boolean,
    raw?: RawFields,
  ): void {
    if (this.over) return
    this.isResponding = true
    const head = readResponseHead(status, fields)
    if ('refused' in head) {
      this.fail(malformedResponse(head.message))
      this.releaseConnection()
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

  /** The last byte of the response was received. */
  protected received(trailers: readonly string[] | undefined): void {
    if (this.over) return
    // A stream that is reset without an error looks like one that ended.
    if (this.lengthBytes !== undefined && this.#receivedBytes !== this.lengthBytes) {
      this.fail(malformedResponse('the body does not have the length that was announced'))
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

  /** Sends the request once more, if possible; false if not. */
  protected resend(): boolean {
    if (this.over || this.isResponding || this.#resends === RESENDS) return false
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
