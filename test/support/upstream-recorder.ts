import type { Duplex } from 'node:stream'
import type { Body } from '../../src/model/exchange/body.ts'
import type { Fault } from '../../src/model/exchange/fault.ts'
import type { UpstreamEvents } from '../../src/upstream/call.ts'

/** Records the response of an upstream. */
export class UpstreamRecorder implements UpstreamEvents {
  readonly infos: { status: number; headers: string[] }[] = []
  /** Whether the client continues to read after a 1xx response; if not, until `resume`. */
  readsOn = true
  resume: () => void = () => undefined
  status: number | undefined = undefined
  headers: string[] = []
  body: Body | undefined = undefined
  stream: Duplex | undefined = undefined
  fault: Fault | undefined = undefined
  ends = 0
  trailers: readonly string[] | undefined = undefined
  readonly #head = Promise.withResolvers<this>()
  readonly #done = Promise.withResolvers<this>()
  readonly #take: ((body: Body) => void) | undefined

  /** @param take Called with the body as soon as the head has arrived; nothing by default. */
  constructor(take?: (body: Body) => void) {
    this.#take = take
    this.#head.promise.catch(() => undefined)
    this.#done.promise.catch(() => undefined)
  }

  /** The head or tunnel arrived, or the call failed. */
  get responded(): Promise<this> {
    return this.#head.promise
  }

  /** The call ended or failed. */
  get done(): Promise<this> {
    return this.#done.promise
  }

  info(status: number, headers: string[], resume: () => void): boolean {
    this.infos.push({ status, headers })
    this.resume = resume
    return this.readsOn
  }

  head(status: number, headers: string[], body: Body): void {
    this.status = status
    this.headers = headers
    this.body = body
    this.#take?.(body)
    this.#head.resolve(this)
  }

  tunnel(status: number, headers: string[], stream: Duplex): void {
    this.status = status
    this.headers = headers
    this.stream = stream
    this.#head.resolve(this)
  }

  end(trailers?: readonly string[]): void {
    this.ends++
    this.trailers = trailers
    this.#done.resolve(this)
  }

  fail(fault: Fault): void {
    this.fault = fault
    this.#head.resolve(this)
    this.#done.resolve(this)
  }
}
