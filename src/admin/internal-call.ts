import { Writable } from 'node:stream'
import type { Fault } from '../model/exchange/fault.ts'
import { ResponseBody } from '../upstream/http/response/response-body.ts'
import type { UpstreamCall, UpstreamEvents } from '../upstream/call.ts'
import { upstreamFault } from '../upstream/faults.ts'
import type { EndpointResponse } from './endpoint.ts'

/** What an endpoint answers to the request of a route: written like a response, taken like that of an upstream. */
export class InternalCall extends ResponseBody implements UpstreamCall {
  readonly response: EndpointResponse
  readonly #events: UpstreamEvents
  readonly #isHead: boolean
  #over = false
  /** Nothing flows before there is a consumer. */
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

  /** There will be no answer, or no more of it. */
  fail(fault: Fault): void {
    if (this.#over) return
    this.#over = true
    this.releaseConnection()
    this.breakOff(fault)
    this.#events.fail(fault)
  }

  /** The head of the answer. */
  start(status: number, fields: Readonly<Record<string, string | number>>): void {
    if (this.#over) return
    const headers = Object.entries(fields).flatMap(([name, value]) => [name, String(value)])
    const length = fields['content-length']
    this.lengthBytes = this.#isHead ? 0 : length === undefined ? undefined : Number(length)
    this.#events.head(status, [...headers, 'x-content-type-options', 'nosniff'], this)
  }

  /** Some of the body. */
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

  /** The end of the body. */
  finish(): void {
    if (this.#over) return
    this.#over = true
    const end = () => this.#events.end()
    // Not inside the call that consumes the body.
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

/** The side of a call that an endpoint writes to. */
class CallResponse extends Writable implements EndpointResponse {
  headersSent = false
  /** A shutdown waits for its end. */
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
    // After the end, or once nobody waits any more, it says nothing.
    this.#call.fail(
      upstreamFault(Object.assign(new Error('the endpoint broke off its answer'), { code: 'ECONNRESET' })),
    )
    done(error)
  }
}
