import type { Duplex } from 'node:stream'
import { type Body, BufferBody, emptyBody } from '../../model/exchange/body.ts'
import { isTrue, type Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import { Headers } from '../../model/exchange/headers.ts'
import { Reply } from '../../model/exchange/reply.ts'
import type { RawFields, UpstreamCall, UpstreamEvents } from '../call.ts'
import type { Endpoint } from './endpoint.ts'
import type { Endpoints } from './endpoints.ts'
import { EndpointSelection, type SelectionOptions } from './endpoint-selection.ts'
import { grpcFailure, isGrpcResponse } from './grpc-outcome.ts'
import { failedCall } from '../http/failed-call.ts'
import { blamesUpstream, noEndpoint } from '../faults.ts'
import { SharedBody } from '../http/shared-body.ts'
import { retryAfterMs } from '../http/retry-after.ts'
import { send } from '../http/send.ts'

/** How one of several endpoints is chosen, and how its response is evaluated. */
export interface BalancedOptions extends SelectionOptions {
  /** `host[:port]` of an upstream that has a name; undefined leaves the client's. */
  readonly authority: string | undefined
  /** Where the endpoints come from; absent if they are those of one request. */
  readonly endpoints?: Endpoints
  /** Whether a response counts as a failure; undefined means 5xx, or a gRPC status other than 0. */
  readonly unhealthy: Evaluate | undefined
}

/** A call to the best of several endpoints, whose outcome is recorded for the endpoint's health. */
export class BalancedCall implements UpstreamCall, UpstreamEvents {
  readonly #x: Exchange
  #all: readonly Endpoint[]
  readonly #options: BalancedOptions
  readonly #events: UpstreamEvents
  readonly #selection: EndpointSelection
  #body: SharedBody | undefined = undefined
  #hasOutcome = false
  /** The outcome of a gRPC call comes with its trailers. */
  #awaitsTrailers = false
  #over = false

  constructor(x: Exchange, endpoints: readonly Endpoint[], options: BalancedOptions, events: UpstreamEvents) {
    this.#x = x
    this.#all = endpoints
    this.#options = options
    this.#events = events
    this.#selection = new EndpointSelection(options, x)
  }

  start(): this {
    const { request } = this.#x
    // Each endpoint gets the same stream; buffered and empty bodies can be read any number of times.
    if (request.body instanceof SharedBody) this.#body = request.body
    else if (!(request.body instanceof BufferBody) && request.body !== emptyBody)
      request.body = this.#body = new SharedBody(request.body)
    this.#x.upstream.timedOut = false
    this.#next(this.#x.upstream.startedAt)
    return this
  }

  info(status: number, headers: string[], resume: () => void): boolean {
    return this.#events.info(status, headers, resume)
  }

  head(status: number, headers: string[], body: Body, raw?: RawFields): void {
    const fields = new Headers(headers)
    this.#awaitsTrailers =
      !this.#options.unhealthy && status < 500 && isGrpcResponse(fields) && !fields.has('grpc-status')
    if (!this.#awaitsTrailers) this.#recordOutcome(this.#failureOf(status, fields, body), fields)
    this.#events.head(status, headers, body, raw)
  }

  tunnel(status: number, headers: string[], stream: Duplex): void {
    this.#recordOutcome(undefined)
    this.#events.tunnel(status, headers, stream)
  }

  end(trailers?: readonly string[]): void {
    this.#over = true
    this.#selection.release()
    if (this.#awaitsTrailers) this.#recordOutcome(trailers && grpcFailure(new Headers([...trailers])))
    this.#events.end(trailers)
  }

  fail(fault: Fault): void {
    this.#selection.release()
    if (blamesUpstream(fault)) this.#recordOutcome(fault.code)
    const all = this.#options.endpoints?.latest() ?? this.#all
    if (!this.#over && this.#selection.canFailOver(fault, all)) {
      this.#all = all
      this.#next(performance.now())
      return
    }
    this.#over = true
    this.#events.fail(fault)
  }

  abort(): void {
    if (this.#over) return
    this.#over = true
    this.#selection.release()
    // A client that sends its own request slowly must not have an endpoint evicted.
    const isLate = this.#x.upstream.timedOut && !this.#hasOutcome && !this.#awaitsTrailers
    if (isLate && (this.#body?.hasEnded ?? true)) this.#recordOutcome('timeout')
    this.#selection.abort()
  }

  #next(now: number): void {
    this.#hasOutcome = false
    const endpoint = this.#selection.next(this.#all, now, this.#pinned())
    if (!endpoint) {
      this.#over = true
      this.#events.fail(noEndpoint())
      return
    }
    const call = this.#send(endpoint, this.#options.authority)
    this.#selection.started(endpoint, call)
    if (this.#over) call.abort()
  }

  /** An error thrown here may be inside an HTTP client's callback, which would swallow it. */
  #send(endpoint: Endpoint, authority: string | undefined): UpstreamCall {
    try {
      return send(this.#x, endpoint, authority, this)
    } catch (bug) {
      return failedCall(
        this,
        bug instanceof Fault ? bug : new Fault('internal', 'internal error', { cause: bug }),
      )
    }
  }

  /** The pinned endpoint, healthy or not: only it has the session. */
  #pinned(): Endpoint | undefined {
    const { pinnedTo } = this.#x.upstream
    if (pinnedTo === undefined || this.#selection.hasTried) return undefined
    return this.#all.find(({ name }) => name === pinnedTo)
  }

  /** @param failure Why the call counts as failed; undefined if it succeeded. */
  #recordOutcome(failure: string | undefined, fields?: Headers): void {
    const now = performance.now()
    this.#hasOutcome = true
    if (failure === undefined) this.#selection.succeeded(now)
    else this.#selection.failed(now, failure, fields && retryAfterMs(fields, Date.now()))
  }

  #failureOf(status: number, fields: Headers, body: Body): string | undefined {
    const { unhealthy } = this.#options
    if (!unhealthy) return status >= 500 ? `status ${status}` : grpcFailure(fields)
    const x = this.#x
    // The expression reads the response as it was received, before any stage has changed it.
    x.reply = new Reply(status, fields, body, 'Upstream')
    const verdict = isTrue(unhealthy, x)
    x.reply = undefined
    return verdict ? `unhealthyExpression, status ${status}` : undefined
  }
}
