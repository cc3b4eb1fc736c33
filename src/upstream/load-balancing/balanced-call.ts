import type { Duplex } from 'node:stream'
import { type Body, BufferBody, emptyBody } from '../model/body.ts'
import { holds, type Evaluate } from '../model/evaluate.ts'
import type { Exchange } from '../model/exchange.ts'
import { Fault } from '../model/fault.ts'
import { Headers } from '../model/headers.ts'
import { Reply } from '../model/reply.ts'
import { chooseEndpoint } from './balance.ts'
import type { RawFields, UpstreamCall, UpstreamEvents } from './call.ts'
import type { Endpoint } from './endpoint.ts'
import { failedCall } from './failed-call.ts'
import { noEndpoint } from './fault.ts'
import type { Eviction } from './health.ts'
import { OneSource } from './one-source.ts'
import { retryAfterMs } from './retry-after.ts'
import { send } from './send.ts'

/** How one of several endpoints is chosen, and what its answer says about it. */
export interface BalancedOptions {
  /** `host[:port]` of an upstream that has a name; undefined leaves the client's. */
  readonly authority: string | undefined
  readonly eviction: Eviction | undefined
  /** Whether an answer counts as a failure; undefined means 5xx, or a gRPC status other than 0. */
  readonly unhealthy: Evaluate | undefined
  /** Gives the text by which calls stay with an endpoint; anything else is none. */
  readonly affinity: Evaluate | undefined
  readonly random: () => number
}

/**
 * A call to the best of several endpoints, which remembers how it went. Where no connection can be made the next
 * endpoint is tried at once: nothing of the request has been sent by then, so nothing can happen twice.
 */
export class BalancedCall implements UpstreamCall, UpstreamEvents {
  readonly #x: Exchange
  readonly #all: readonly Endpoint[]
  readonly #options: BalancedOptions
  readonly #events: UpstreamEvents
  readonly #tried: Endpoint[] = []
  #endpoint: Endpoint | undefined = undefined
  #call: UpstreamCall | undefined = undefined
  #startedAt = 0
  /** Of an answer whose verdict comes with its trailers: they tell how a gRPC call went. */
  #openVerdict = false
  #over = false

  constructor(x: Exchange, endpoints: readonly Endpoint[], options: BalancedOptions, events: UpstreamEvents) {
    this.#x = x
    this.#all = endpoints
    this.#options = options
    this.#events = events
  }

  start(): this {
    const { request } = this.#x
    // Each endpoint gets the same stream; bodies in memory, and none at all, can be had any number of times.
    if (!(request.body instanceof BufferBody) && request.body !== emptyBody && this.#all.length > 1)
      request.body = new OneSource(request.body)
    this.#next(this.#x.upstreamStartedAt)
    return this
  }

  info(status: number, headers: string[]): void {
    this.#events.info(status, headers)
  }

  head(status: number, headers: string[], body: Body, raw?: RawFields): void {
    const fields = new Headers(headers)
    this.#openVerdict =
      !this.#options.unhealthy && status < 500 && isGrpc(fields) && !fields.has('grpc-status')
    if (!this.#openVerdict) this.#judge(this.#isUnhealthy(status, fields, body), fields)
    this.#events.head(status, headers, body, raw)
  }

  tunnel(status: number, headers: string[], stream: Duplex): void {
    this.#judge(false)
    this.#events.tunnel(status, headers, stream)
  }

  end(trailers?: readonly string[]): void {
    this.#over = true
    this.#release()
    if (this.#openVerdict) this.#judge(trailers !== undefined && !isGrpcOk(new Headers([...trailers])))
    this.#events.end(trailers)
  }

  fail(fault: Fault): void {
    this.#release()
    if (fault.reason === 'UpstreamFailure') this.#judge(true)
    if (fault.code === 'upstream_connect' && !this.#over && this.#tried.length < this.#all.length) {
      this.#next(performance.now())
      return
    }
    this.#over = true
    this.#events.fail(fault)
  }

  abort(): void {
    if (this.#over) return
    this.#over = true
    this.#release()
    this.#call?.abort()
  }

  #next(now: number): void {
    const { authority, random, affinity } = this.#options
    const key = affinity && this.#tried.length === 0 ? keyOf(affinity, this.#x) : undefined
    const endpoint =
      this.#bound() ?? chooseEndpoint(this.#all, { now, random, affinity: key }, this.#avoided())
    if (!endpoint) {
      this.#over = true
      this.#events.fail(noEndpoint())
      return
    }
    this.#tried.push(endpoint)
    this.#endpoint = endpoint
    this.#startedAt = now
    endpoint.health.pending++
    const call = this.#send(endpoint, authority)
    // A call that failed inside `send` has been followed by the next one already.
    if (this.#endpoint === endpoint || !this.#call) this.#call = call
    if (this.#over) call.abort()
  }

  /** What is thrown here may have an HTTP client's callback below it, which would swallow it. */
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

  /** However it does: no other knows what is asked for. */
  #bound(): Endpoint | undefined {
    const { boundTo } = this.#x
    if (boundTo === undefined || this.#tried.length) return undefined
    return this.#all.find(({ name }) => name === boundTo)
  }

  /** Retries of the exchange go elsewhere too, if there is an elsewhere. */
  #avoided(): readonly Endpoint[] {
    if (this.#tried.length || this.#x.attempts < 2) return this.#tried
    return this.#all.filter(({ name }) => name === this.#x.endpoint)
  }

  #release(): void {
    if (this.#endpoint) this.#endpoint.health.pending--
    this.#endpoint = undefined
  }

  #judge(unhealthy: boolean, fields?: Headers): void {
    const health = this.#tried.at(-1)?.health
    const now = performance.now()
    if (!unhealthy) health?.succeeded(now, now - this.#startedAt)
    else health?.failed(now, this.#options.eviction, fields && retryAfterMs(fields, Date.now()))
  }

  #isUnhealthy(status: number, fields: Headers, body: Body): boolean {
    const { unhealthy } = this.#options
    if (!unhealthy) return status >= 500 || !isGrpcOk(fields)
    const x = this.#x
    // The expression reads the answer as it came, before any stage has changed it.
    x.reply = new Reply(status, fields, body, 'Upstream')
    const verdict = holds(unhealthy, x)
    x.reply = undefined
    return verdict
  }
}

const keyOf = (affinity: Evaluate, x: Exchange): string | undefined => {
  const result = affinity(x)
  return 'value' in result && typeof result.value === 'string' ? result.value : undefined
}

const isGrpc = (fields: Headers): boolean =>
  fields.get('content-type')?.startsWith('application/grpc') ?? false

const isGrpcOk = (fields: Headers): boolean => (fields.get('grpc-status') ?? '0') === '0'
