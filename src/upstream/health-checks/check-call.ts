import type { Body, BodySink } from '../../model/exchange/body.ts'
import type { Fault } from '../../model/exchange/fault.ts'
import type { UpstreamCall, UpstreamEvents } from '../call.ts'
import { checkFailure } from './health-probe.ts'

/** The response to a check. */
export interface CheckResponse {
  readonly status: number
  /** Name, value, name, value …; trailers included. */
  readonly fields: readonly string[]
  /** At most its first bytes. */
  readonly body: Buffer
}

/** How a response is read and evaluated. */
export interface ProbeReading {
  /** Returns what is wrong with it; undefined if nothing is. */
  readonly evaluate: (response: CheckResponse) => string | undefined
  /** Bytes of the body that are read; a longer one is cut off, which is not a failure. */
  readonly limitBytes: number
  readonly timeoutMs: number
}

/** One check by a request: awaits the response, within limits of time and size. */
export class ProbeCall implements UpstreamEvents, BodySink {
  readonly #reading: ProbeReading
  readonly #onResult: (wrong: string | undefined) => void
  readonly #timer: NodeJS.Timeout
  #call: UpstreamCall | undefined = undefined
  #status = 0
  #fields: string[] = []
  #chunks: Uint8Array[] = []
  #sizeBytes = 0
  #isOver = false

  constructor(reading: ProbeReading, onResult: (wrong: string | undefined) => void) {
    this.#reading = reading
    this.#onResult = onResult
    this.#timer = setTimeout(() => {
      // An endpoint that has begun to respond is reachable.
      if (this.#status === 0) this.#end(`check: no answer within ${reading.timeoutMs} ms`)
      else this.#evaluate()
      this.#call?.abort()
    }, reading.timeoutMs)
    this.#timer.unref()
  }

  /** @returns Cancels the check. */
  start(call: (events: UpstreamEvents) => UpstreamCall): () => void {
    try {
      this.#call = call(this)
    } catch (error) {
      clearTimeout(this.#timer)
      throw error
    }
    if (this.#isOver && this.#sizeBytes > this.#reading.limitBytes) this.#call.abort()
    return () => {
      if (this.#isOver) return
      this.#isOver = true
      clearTimeout(this.#timer)
      this.#call?.abort()
    }
  }

  info(): boolean {
    // The final response is still to come.
    return true
  }

  head(status: number, headers: string[], body: Body): void {
    this.#status = status
    this.#fields = [...headers]
    body.pipe(this)
  }

  tunnel(status: number, _headers: string[], stream: { destroy(): void }): void {
    stream.destroy()
    this.#end(`check: status ${status}`)
  }

  end(trailers?: readonly string[]): void {
    if (trailers) this.#fields.push(...trailers)
    this.#evaluate()
  }

  write(chunk: Uint8Array): boolean {
    this.#chunks.push(chunk)
    this.#sizeBytes += chunk.length
    if (this.#sizeBytes <= this.#reading.limitBytes || this.#isOver) return true
    this.#evaluate()
    this.#call?.abort()
    return true
  }

  /** Of the call, and of the response body. */
  fail(fault: unknown): void {
    this.#end(checkFailure(fault as Fault))
  }

  onDrain(): void {
    // Never full.
  }

  #evaluate(): void {
    const body = Buffer.concat(this.#chunks)
    this.#end(this.#reading.evaluate({ status: this.#status, fields: this.#fields, body }))
  }

  #end(wrong: string | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#chunks = []
    this.#onResult(wrong)
  }
}
