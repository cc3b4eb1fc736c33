import { performance } from 'node:perf_hooks'
import { Observable, Subscriber } from 'rxjs'
import type { Duplex } from 'node:stream'
import { type Body, emptyBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Fault } from '../../model/exchange/fault.ts'
import { Headers } from '../../model/exchange/headers.ts'
import type { Probe } from '../../model/trace/probe.ts'
import { Reply } from '../../model/exchange/reply.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { watchBody } from '../../pipeline/tap-body.ts'
import { fieldSpelling } from '../../protocols/http/header-case.ts'
import type { RawFields, UpstreamEvents } from '../../upstream/call.ts'
import { isBuffered } from '../body/buffer-body.ts'
import { applied } from '../trace-policy.ts'
import { type AttemptSpan, startAttempt } from './attempt-span.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'

export type { HttpUpstream }

/**
 * Calls an upstream and makes its response the reply. The last stage of a route.
 *
 * The head of the reply is passed on inside the HTTP client's own callback: stages and sink run on that stack, and
 * the bytes that follow go from socket to socket without passing through an observable.
 *
 * @param policies What the trace shows as the policies in force for this backend.
 * @throws Fault `upstream_*`, `no_endpoint` and others of the upstream, through the error channel.
 */
export const backend =
  (upstream: HttpUpstream, policies: object = {}): Operator =>
  (source) =>
    new Observable((out) => {
      source.subscribe(new Calls(out, upstream, policies))
    })

/** The active calls of one stream. A subscriber of its own, as a stage is. */
class Calls extends Subscriber<Exchange> {
  readonly #out: Subscriber<Exchange>
  readonly #upstream: HttpUpstream
  readonly #policies: object
  #running = 0
  #drained = false

  constructor(out: Subscriber<Exchange>, upstream: HttpUpstream, policies: object) {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- for operator makers
    super(out)
    this.#out = out
    this.#upstream = upstream
    this.#policies = policies
  }

  /** Called at the end of a call. */
  ended(): void {
    this.#running--
    if (this.#drained && this.#running === 0) this.#out.complete()
  }

  protected override _next(x: Exchange): void {
    const out = this.#out
    if (x.reply) {
      out.next(x)
      return
    }
    const upstream = this.#upstream
    this.#running++
    x.upstream.backend = upstream.labels
    x.upstream.attempts++
    x.upstream.startedAt = performance.now()
    if (x.upstream.attempts === 1) x.upstream.firstStartedAt = x.upstream.startedAt
    if (x.probe) show(x, x.probe, this.#policies)
    const span = x.span && startAttempt(x, x.span)
    try {
      const call = upstream.call(x, new Answering(x, out, this, span))
      // Buffered bytes are traced where those of a stream are: after the head.
      if (x.probe?.includesBodies && isBuffered(x.request.body))
        watchBody(x.request.body, x.probe, 'final request')
      out.add(() => {
        call.abort()
        span?.cancelled()
      })
    } catch (bug) {
      out.error(bug)
    }
  }

  protected override _complete(): void {
    this.#drained = true
    if (this.#running === 0) this.#out.complete()
    this.unsubscribe()
  }
}

/** Trace entries before the call. */
const show = (x: Exchange, probe: Probe, policies: object): void => {
  probe.snapshot('route policies')
  probe.record({ type: 'policySelection', phase: 'backend', effectivePolicy: policies })
  if (probe.includesBodies && !isBuffered(x.request.body))
    x.request.body = watchBody(x.request.body, probe, 'final request')
}

/** Makes the response of an upstream the reply of one exchange: one object per call instead of a closure per event. */
class Answering implements UpstreamEvents {
  readonly #x: Exchange
  readonly #out: Subscriber<Exchange>
  readonly #calls: Calls
  readonly #began: number | undefined

  readonly #span: AttemptSpan | undefined

  constructor(x: Exchange, out: Subscriber<Exchange>, calls: Calls, span: AttemptSpan | undefined) {
    this.#span = span
    this.#x = x
    this.#out = out
    this.#calls = calls
    this.#began = x.probe?.now()
  }

  info(status: number, headers: string[], resume: () => void): boolean {
    return this.#x.downstream.informationalSink?.sendInformational(status, headers, resume) ?? true
  }

  head(status: number, headers: string[], body: Body, raw?: RawFields): void {
    // If the case of the client's header names is preserved, so is that of the upstream's.
    const spelling = raw && this.#x.request.headers.spelling ? fieldSpelling(raw) : undefined
    this.#deliver(new Reply(status, new Headers(headers, spelling), body, 'Upstream'))
  }

  tunnel(status: number, headers: string[], stream: Duplex): void {
    const reply = new Reply(status, new Headers(headers), emptyBody, 'Upstream')
    reply.tunnel = stream
    this.#deliver(reply)
  }

  end(): void {
    this.#span?.ended()
    this.#calls.ended()
  }

  fail(fault: Fault): void {
    this.#span?.failed(fault)
    if (this.#began !== undefined && !this.#x.reply) this.#record(this.#began, undefined, fault)
    this.#out.error(fault)
  }

  #deliver(reply: Reply): void {
    const x = this.#x
    x.upstream.respondedAt = performance.now()
    x.reply = reply
    this.#span?.responded(reply)
    if (this.#began !== undefined) this.#record(this.#began, reply, undefined)
    this.#out.next(x)
  }

  #record(began: number, reply: Reply | undefined, fault: Fault | undefined): void {
    const { probe } = this.#x
    const error = fault?.message ?? null
    probe?.record({ type: 'backendCallResult', status: reply?.status ?? null, error }, began)
    if (reply) {
      probe?.snapshot('raw response')
      probe?.snapshot('backend response ready')
    }
    if (fault) probe?.record(applied('backend', fault.message))
    probe?.recordStage('backend', began, reply)
  }
}
