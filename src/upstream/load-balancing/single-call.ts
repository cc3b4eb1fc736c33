import type { Duplex } from 'node:stream'
import type { Body } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Fault } from '../../model/exchange/fault.ts'
import { Headers } from '../../model/exchange/headers.ts'
import type { RawFields, UpstreamCall, UpstreamEvents } from '../call.ts'
import { blamesUpstream } from '../faults.ts'
import { send } from '../http/send.ts'
import type { BackendCounts, CallCounts } from './call-counts.ts'
import type { Endpoint } from './endpoint.ts'
import { grpcFailure, isGrpcResponse } from './grpc-outcome.ts'

/**
 * A call to the only endpoint of an upstream. Nothing is chosen, so the outcome decides nothing: it is recorded for
 * reports. Costs one object per request.
 */
export class SingleCall implements UpstreamCall, UpstreamEvents {
  readonly #x: Exchange
  readonly #endpoint: Endpoint
  readonly #counts: CallCounts
  readonly #events: UpstreamEvents
  readonly #startedAt: number
  #call: UpstreamCall | undefined = undefined
  #hasOutcome = false
  /** The outcome of a gRPC call comes with its trailers. */
  #awaitsTrailers = false
  #over = false

  constructor(x: Exchange, endpoint: Endpoint, counts: BackendCounts, events: UpstreamEvents) {
    this.#x = x
    this.#endpoint = endpoint
    this.#counts = counts.of(endpoint)
    this.#events = events
    this.#startedAt = x.upstream.startedAt
  }

  /** @param authority `host[:port]` of an upstream that has a name; undefined leaves the client's. */
  start(authority: string | undefined): this {
    this.#x.upstream.timedOut = false
    this.#endpoint.health.began()
    this.#counts.began()
    try {
      this.#call = send(this.#x, this.#endpoint, authority, this)
    } catch (bug) {
      this.#release()
      throw bug
    }
    return this
  }

  info(status: number, headers: string[], resume: () => void): boolean {
    return this.#events.info(status, headers, resume)
  }

  head(status: number, headers: string[], body: Body, raw?: RawFields): void {
    const fields = new Headers(headers)
    const isGrpc = status < 500 && isGrpcResponse(fields)
    this.#awaitsTrailers = isGrpc && !fields.has('grpc-status')
    if (status >= 500) this.#failed(`status ${status}`)
    else if (!this.#awaitsTrailers) this.#recordOutcome(isGrpc ? grpcFailure(fields) : undefined)
    this.#events.head(status, headers, body, raw)
  }

  tunnel(status: number, headers: string[], stream: Duplex): void {
    this.#recordOutcome(undefined)
    this.#events.tunnel(status, headers, stream)
  }

  end(trailers?: readonly string[]): void {
    if (this.#awaitsTrailers) this.#recordOutcome(trailers && grpcFailure(new Headers([...trailers])))
    this.#release()
    this.#events.end(trailers)
  }

  fail(fault: Fault): void {
    if (blamesUpstream(fault)) this.#failed(fault.code)
    this.#release()
    this.#events.fail(fault)
  }

  abort(): void {
    if (this.#over) return
    if (this.#x.upstream.timedOut && !this.#hasOutcome) this.#failed('timeout')
    this.#release()
    this.#call?.abort()
  }

  #release(): void {
    if (this.#over) return
    this.#over = true
    this.#endpoint.health.released()
  }

  #recordOutcome(failure: string | undefined): void {
    if (failure !== undefined) {
      this.#failed(failure)
      return
    }
    this.#hasOutcome = true
    const now = performance.now()
    this.#endpoint.health.succeeded(now, now - this.#startedAt)
    this.#counts.succeeded(now - this.#startedAt)
  }

  #failed(reason: string): void {
    this.#hasOutcome = true
    this.#endpoint.health.failed(performance.now(), undefined, undefined, reason)
    this.#counts.failed()
  }
}
