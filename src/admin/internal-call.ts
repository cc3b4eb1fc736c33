import { Writable } from 'node:stream'
import type { Fault } from '../model/exchange/fault.ts'
import { ResponseBody } from '../upstream/http/response/response-body.ts'
import type { UpstreamCall, UpstreamEvents } from '../upstream/call.ts'
import { upstreamFault } from '../upstream/faults.ts'
import type { EndpointResponse } from './endpoint.ts'

/** The call of an endpoint by a route: written like a server response, read like that of an upstream. */
export class InternalCall extends ResponseBody implements UpstreamCall {
  readonly response: EndpointResponse
  readonly #events: UpstreamEvents
  readonly #isHead: boolean
  #over = false
  /** Paused until there is a consumer. */
  #paused = true
  #written: (() => void) | undefined = undefined

  constructor(events: UpstreamEvents, isHead: boolean) {
    super()
    this.#events = events
    this.#isHead = isHead
    this.response = new CallResponse(this).on('error', () => undefined)
  }

  abort(): void {
    if (this.#over) return
    this.#over = true
    this.abandon()
  }

  /** The response fails, or breaks off. */
  fail(fault: Fault): void {
    if (this.#over) return
    this.#over = true
    this.releaseConnection()
    this.breakOff(fault)
    this.#events.fail(fault)
  }

  /** Sends the head of the response. */
  start(status: number, fields: Readonly<Record<string, string | number>>): void {
    if (this.#over) return
    const headers = Object.entries(fields).flatMap(([name, value]) => [name, String(value)])
    const length = fields['content-length']
    this.lengthBytes = this.#isHead ? 0 : length === undefined ? undefined : Number(length)
    this.#events.head(status, [...headers, 'x-content-type-options', 'nosniff'], this)
  }

  /** Sends a part of the body. */
  take(chunk: Buffer, written: () => void): void {
    if (!this.#over && !this.#isHead) {
      this.push(chunk)
      if (this.#paused) {
        this.#written = written
        return
      }
    }
    written()
  }

  /** Ends the body. */
  finish(): void {
    if (this.#over) return
    this.#over = true
    const end = () => this.#events.end()
    // Deferred: not inside the call that consumes the body.
    if (this.complete(undefined)) queueMicrotask(end)
    else this.whenTaken(end)
  }

  protected override pause(): void {
    this.#paused = true
  }

  protected override resume(): void {
    this.#paused = false
    const written = this.#written
    this.#written = undefined
    written?.()
  }

  protected override cut(): void {
    if (this.#over) return
    this.abort()
    queueMicrotask(() => this.#events.end())
  }

  protected override releaseConnection(): void {
    this.response.destroy()
  }
}

/** The side of a call to which an endpoint writes. */
class CallResponse extends Writable implements EndpointResponse {
  headersSent = false
  /** A shutdown drains it. */
  readonly isOfRoute = true
  readonly #call: InternalCall

  constructor(call: InternalCall) {
    super()
    this.#call = call
  }

  writeHead(status: number, headers: Readonly<Record<string, string | number>>): void {
    this.headersSent = true
    this.#call.start(status, headers)
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#call.take(chunk, done)
  }

  override _final(done: () => void): void {
    this.#call.finish()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // Ignored after the end, or after a cancellation.
    this.#call.fail(
      upstreamFault(Object.assign(new Error('the endpoint broke off its answer'), { code: 'ECONNRESET' })),
    )
    done(error)
  }
}
