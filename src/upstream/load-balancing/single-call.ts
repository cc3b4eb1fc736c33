import type { Duplex } from 'node:stream'
import { type Body, BufferBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Fault } from '../../model/exchange/fault.ts'
import { Headers } from '../../model/exchange/headers.ts'
import type { RawFields, UpstreamCall, UpstreamEvents } from '../call.ts'
import { blamesUpstream } from '../faults.ts'
import { send } from '../http/send.ts'
import { SharedBody } from '../http/shared-body.ts'
import { BalancedCall, type BalancedOptions } from './balanced-call.ts'
import type { BackendCounts, CallCounts } from './call-counts.ts'
import type { Endpoint } from './endpoint.ts'
import type { Endpoints } from './endpoints.ts'
import { grpcFailure, isGrpcResponse } from './grpc-outcome.ts'

/** What a {@link SingleCall} needs, and the call that follows it if the endpoint is removed. */
export interface SingleCallOptions extends BalancedOptions {
  readonly endpoints: Endpoints
  readonly counts: BackendCounts
}

/**
 * A call to the only endpoint of an upstream. Nothing is chosen, so the outcome decides nothing: it is recorded for
 * reports. Costs one object per request.
 */
export class SingleCall implements UpstreamCall, UpstreamEvents {
  readonly #x: Exchange
  readonly #endpoint: Endpoint
  readonly #options: SingleCallOptions
  readonly #counts: CallCounts
  readonly #events: UpstreamEvents
  readonly #startedAt: number
  #call: UpstreamCall | undefined = undefined
  #hasOutcome = false
  /** The outcome of a gRPC call comes with its trailers. */
  #awaitsTrailers = false
  #over = false
  /** The call to the endpoints that have come in the place of this one. */
  #successor: UpstreamCall | undefined = undefined

  constructor(x: Exchange, endpoint: Endpoint, options: SingleCallOptions, events: UpstreamEvents) {
    this.#x = x
    this.#endpoint = endpoint
    this.#options = options
    this.#counts = options.counts.of(endpoint)
    this.#events = events
    this.#startedAt = x.upstream.startedAt
  }

  start(): this {
    this.#x.upstream.timedOut = false
    this.#endpoint.health.began()
    this.#counts.began()
    try {
      this.#call = send(this.#x, this.#endpoint, this.#options.authority, this)
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
    if (fault.code === 'upstream_connect' && this.#endpoint.isRemoved) this.#callSuccessor()
    else this.#events.fail(fault)
  }

  abort(): void {
    this.#successor?.abort()
    if (this.#over) return
    if (this.#x.upstream.timedOut && !this.#hasOutcome) this.#failed('timeout')
    this.#release()
    this.#call?.abort()
  }

  /** Nothing has been sent without a connection. */
  #callSuccessor(): void {
    const x = this.#x
    const { body } = x.request
    const taken = this.#call?.takenBody
    if (taken && !(body instanceof BufferBody || body instanceof SharedBody))
      x.request.body = new SharedBody(body, taken)
    const all = this.#options.endpoints.latest()
    this.#successor = new BalancedCall(x, all, this.#options, this.#events).start()
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
