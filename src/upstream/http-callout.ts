import { type Body, BufferBody, emptyBody } from '../model/exchange/body.ts'
import type { Exchange } from '../model/exchange/exchange.ts'
import { Fault } from '../model/exchange/fault.ts'
import { Headers } from '../model/exchange/headers.ts'
import type { Balancer } from './load-balancing/balancer.ts'
import type { UpstreamCall, UpstreamEvents } from './call.ts'
import { withoutFields } from '../protocols/http/connection-options.ts'
import { callEndpoint } from './load-balancing/call-endpoint.ts'
import type { Endpoint } from './load-balancing/endpoint.ts'
import { EndpointSelection } from './load-balancing/endpoint-selection.ts'
import type { Endpoints } from './load-balancing/endpoints.ts'
import { abandoned, noEndpoint } from './faults.ts'

/** A small request of the gateway to the service of a policy. */
export interface CalloutRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Without `host` and `content-length`; names are lower-case. */
  readonly headers: Headers
  readonly body?: Buffer | undefined
  /** Host field. Default: the name of the service, or its address. */
  readonly authority?: string | undefined
  /** For everything, from the DNS lookup to the last byte of the response. */
  readonly timeoutMs: number
  /** Longest response body. */
  readonly limitBytes: number
  /** The exchange that needs the callout; none for callouts that serve many. */
  readonly about?: Exchange | undefined
  /** Aborted when the response is no longer needed. */
  readonly signal?: AbortSignal | undefined
}

/** The response of a service. */
export interface CalloutResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

/**
 * Calls a service and reads its whole response.
 *
 * Rejects with a `Fault`: `upstream_*` and `no_endpoint` as for any upstream, `upstream_timeout`, `body_too_large` for
 * a response beyond its limit, `abandoned` once the signal has aborted. A response of any status resolves.
 */
export type HttpCallout = (request: CalloutRequest) => Promise<CalloutResponse>

/** Calls the best of several endpoints; where no connection can be made, the next one at once. */
export const httpCallout =
  (endpoints: Endpoints, authority: string | undefined, balancer: Balancer): HttpCallout =>
  (request) =>
    new Promise((resolve, reject) => {
      new CalloutAttempt(endpoints, authority, balancer, request, resolve, reject).start()
    })

/** One callout under way. */
class CalloutAttempt implements UpstreamEvents {
  readonly #endpoints: Endpoints
  readonly #authority: string | undefined
  readonly #request: CalloutRequest
  readonly #resolve: (response: CalloutResponse) => void
  readonly #reject: (fault: Fault) => void
  readonly #onAbort = () => this.#rejectWith(abandoned)
  readonly #selection: EndpointSelection
  #timer: NodeJS.Timeout | undefined = undefined
  #over = false

  constructor(
    endpoints: Endpoints,
    authority: string | undefined,
    balancer: Balancer,
    request: CalloutRequest,
    resolve: (response: CalloutResponse) => void,
    reject: (fault: Fault) => void,
  ) {
    this.#endpoints = endpoints
    this.#authority = authority
    this.#selection = new EndpointSelection({ balancer })
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
  }

  start(): void {
    const { signal, timeoutMs } = this.#request
    if (signal?.aborted) {
      this.#rejectWith(abandoned)
      return
    }
    signal?.addEventListener('abort', this.#onAbort, { once: true })
    this.#timer = setTimeout(() => {
      this.#recordOutcome(false)
      this.#rejectWith(timeoutFault())
    }, timeoutMs)
    const now = performance.now()
    const known = this.#endpoints.current(now)
    if (known) this.#next(known)
    else
      this.#endpoints.resolve(now, (found) => {
        if (found instanceof Fault) this.#rejectWith(found)
        else if (!this.#over) this.#next(found)
      })
  }

  info(): boolean {
    // Informational responses are of no use here.
    return true
  }

  head(status: number, headers: string[], body: Body): void {
    body.read(this.#request.limitBytes).then(
      (bytes) => {
        if (this.#over) return
        this.#recordOutcome(status < 500)
        this.#finish()
        this.#resolve({ status, headers: new Headers(headers), body: bytes })
      },
      (fault: unknown) => this.#rejectWith(fault as Fault),
    )
  }

  tunnel(): void {
    this.#rejectWith(
      new Fault('upstream_malformed', 'upstream call failed: malformed answer', {
        status: 502,
        reason: 'UpstreamFailure',
      }),
    )
  }

  end(): void {
    // The response has been read by then.
  }

  fail(fault: Fault): void {
    if (this.#over) return
    this.#recordOutcome(false)
    const all = this.#endpoints.latest()
    if (this.#selection.canFailOver(fault, all)) this.#next(all)
    else this.#rejectWith(fault)
  }

  #next(all: readonly Endpoint[]): void {
    const chosen = this.#selection.next(all, performance.now())
    if (!chosen) {
      this.#rejectWith(noEndpoint())
      return
    }
    const call = this.#send(chosen)
    this.#selection.started(chosen, call)
    if (this.#over) call.abort()
  }

  #send(endpoint: Endpoint): UpstreamCall {
    const { method, target, headers, body, authority, about } = this.#request
    const cdnLoop = about?.request.cdnLoop
    const host = authority ?? this.#authority ?? ('unix' in endpoint.address ? 'localhost' : endpoint.name)
    const fields = [
      'host',
      host,
      ...(cdnLoop === undefined ? headers.raw : withoutFields(headers.raw, ['cdn-loop'])),
    ]
    if (cdnLoop !== undefined) fields.push('cdn-loop', cdnLoop)
    if (body || bodyExpected.has(method)) fields.push('content-length', String(body?.length ?? 0))
    const request = { method, target, headers: fields, body: body ? new BufferBody(body) : emptyBody }
    return callEndpoint(endpoint, request, this)
  }

  #recordOutcome(isGood: boolean): void {
    const now = performance.now()
    this.#selection.release()
    if (isGood) this.#selection.succeeded(now)
    else this.#selection.failed(now, 'no answer')
  }

  #rejectWith(fault: Fault): void {
    if (this.#over) return
    this.#selection.release()
    this.#finish()
    this.#selection.abort()
    this.#reject(fault)
  }

  #finish(): void {
    this.#over = true
    clearTimeout(this.#timer)
    this.#request.signal?.removeEventListener('abort', this.#onAbort)
  }
}

/** Methods whose requests state that they have no body (RFC 9110 §8.6). */
const bodyExpected = new Set(['POST', 'PUT', 'PATCH'])

const timeoutFault = (): Fault =>
  new Fault('upstream_timeout', 'upstream call timeout', { status: 504, reason: 'Timeout' })
