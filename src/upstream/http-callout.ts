import { type Body, BufferBody, emptyBody } from '../model/body.ts'
import type { Exchange } from '../model/exchange.ts'
import { Fault } from '../model/fault.ts'
import { Headers } from '../model/headers.ts'
import { chooseEndpoint } from './balance.ts'
import type { UpstreamCall, UpstreamEvents } from './call.ts'
import type { Endpoint } from './endpoint.ts'
import type { Endpoints } from './endpoints.ts'
import { abandoned, noEndpoint } from './fault.ts'
import type { Health } from './health.ts'
import { callHttp1 } from './http1.ts'
import { callHttp2 } from './http2.ts'

/** A small request of the gateway's own, to a service that a policy needs. */
export interface Question {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Without `host` and `content-length`; names are lower-case. */
  readonly headers: Headers
  readonly body?: Buffer | undefined
  /** Host field. Default: the name of the service, or its address. */
  readonly authority?: string | undefined
  /** For everything, from looking up the name to the last byte of the answer. */
  readonly timeoutMs: number
  /** Longest answer. */
  readonly limitBytes: number
  /** The exchange that it is asked about; none for what serves many. */
  readonly about?: Exchange | undefined
  /** Nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined
}

/** What a service said. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

/**
 * Asks a service and waits for its whole answer.
 *
 * Rejects with a `Fault`: `upstream_*` and `no_endpoint` as for any upstream, `upstream_timeout`, `body_too_large` for an
 * answer beyond its limit, `abandoned` once the signal has aborted. Any status is an answer.
 */
export type Ask = (question: Question) => Promise<Answer>

/** Asks the best of several endpoints; where no connection can be made, the next one at once. */
export const askOf =
  (endpoints: Endpoints, authority: string | undefined, random: () => number): Ask =>
  (question) =>
    new Promise((resolve, reject) => {
      new Asking(endpoints, authority, random, question, resolve, reject).start()
    })

/** One question under way. */
class Asking implements UpstreamEvents {
  readonly #endpoints: Endpoints
  readonly #authority: string | undefined
  readonly #random: () => number
  readonly #question: Question
  readonly #resolve: (answer: Answer) => void
  readonly #reject: (fault: Fault) => void
  readonly #leave = () => this.#give(abandoned)
  readonly #tried: Endpoint[] = []
  #endpoint: Endpoint | undefined = undefined
  #call: UpstreamCall | undefined = undefined
  #timer: NodeJS.Timeout | undefined = undefined
  #startedAt = 0
  #over = false

  constructor(
    endpoints: Endpoints,
    authority: string | undefined,
    random: () => number,
    question: Question,
    resolve: (answer: Answer) => void,
    reject: (fault: Fault) => void,
  ) {
    this.#endpoints = endpoints
    this.#authority = authority
    this.#random = random
    this.#question = question
    this.#resolve = resolve
    this.#reject = reject
  }

  start(): void {
    const { signal, timeoutMs } = this.#question
    if (signal?.aborted) {
      this.#give(abandoned)
      return
    }
    signal?.addEventListener('abort', this.#leave, { once: true })
    this.#timer = setTimeout(() => {
      this.#judge(false)
      this.#give(late())
    }, timeoutMs)
    const now = performance.now()
    const known = this.#endpoints.current(now)
    if (known) this.#next(known)
    else
      this.#endpoints.resolve(now, (found) => {
        if (found instanceof Fault) this.#give(found)
        else if (!this.#over) this.#next(found)
      })
  }

  info(): void {
    // Only clients may be interested in what comes before an answer.
  }

  head(status: number, headers: string[], body: Body): void {
    body.read(this.#question.limitBytes).then(
      (bytes) => {
        if (this.#over) return
        this.#judge(status < 500)
        this.#finish()
        this.#resolve({ status, headers: new Headers(headers), body: bytes })
      },
      (fault: unknown) => this.#give(fault as Fault),
    )
  }

  tunnel(): void {
    this.#give(
      new Fault('upstream_malformed', 'upstream call failed: malformed answer', {
        status: 502,
        reason: 'UpstreamFailure',
      }),
    )
  }

  end(): void {
    // The answer has been read by then.
  }

  fail(fault: Fault): void {
    if (this.#over) return
    this.#judge(false)
    const all = this.#endpoints.current(performance.now()) ?? []
    if (fault.code === 'upstream_connect' && this.#tried.length < all.length) this.#next(all)
    else this.#give(fault)
  }

  #next(all: readonly Endpoint[]): void {
    this.#startedAt = performance.now()
    const chosen = chooseEndpoint(all, { now: this.#startedAt, random: this.#random }, this.#tried)
    if (!chosen) {
      this.#give(noEndpoint())
      return
    }
    this.#tried.push(chosen)
    this.#endpoint = chosen
    chosen.health.pending++
    const call = this.#send(chosen)
    // A call that failed at once has been followed by the next one already.
    if (this.#endpoint === chosen || !this.#call) this.#call = call
    if (this.#over) call.abort()
  }

  #send(endpoint: Endpoint): UpstreamCall {
    const { method, target, headers, body, authority } = this.#question
    const host = authority ?? this.#authority ?? ('unix' in endpoint.place ? 'localhost' : endpoint.name)
    const fields = ['host', host, ...headers.raw]
    if (body || bodyExpected.has(method)) fields.push('content-length', String(body?.length ?? 0))
    const request = { method, target, headers: fields, body: body ? new BufferBody(body) : emptyBody }
    const { protocol, tls } = endpoint.options
    if (protocol === 'http1' || protocol === 'auto') return callHttp1(endpoint, request, this)
    return callHttp2(
      endpoint.http2,
      request,
      tls ? 'https' : 'http',
      this,
      protocol === 'negotiated' ? () => callHttp1(endpoint, request, this) : undefined,
    )
  }

  #judge(isWell: boolean): void {
    const now = performance.now()
    const health = this.#release()
    if (isWell) health?.succeeded(now, now - this.#startedAt)
    else health?.failed(now, undefined)
  }

  #release(): Health | undefined {
    const health = this.#endpoint?.health
    if (health) health.pending--
    this.#endpoint = undefined
    return health
  }

  #give(fault: Fault): void {
    if (this.#over) return
    this.#release()
    this.#finish()
    this.#call?.abort()
    this.#reject(fault)
  }

  #finish(): void {
    this.#over = true
    clearTimeout(this.#timer)
    this.#question.signal?.removeEventListener('abort', this.#leave)
  }
}

/** Methods whose requests say that they have no body (RFC 9110 §8.6). */
const bodyExpected = new Set(['POST', 'PUT', 'PATCH'])

const late = (): Fault =>
  new Fault('upstream_timeout', 'upstream call timeout', { status: 504, reason: 'Timeout' })
