import { performance } from 'node:perf_hooks'
import { Subscriber } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import { setDroppedHeader } from '../reply/dropped-header.ts'
import type { AttemptObserver } from '../reply/stream-observer.ts'
import type { PreparedCall, AttemptTimes, GuardRefusal } from './provider-call.ts'
import { isFaultWorthAnother, recordOutcome, recordFailure } from './provider-health.ts'
import type { Option } from './provider-target.ts'
import { ofExchange } from '../../../pipeline/of-exchange.ts'

/** The deadline of an attempt; at most one at a time. */
export class AttemptDeadline {
  #timer: NodeJS.Timeout | undefined = undefined

  /** @param onTimeout Receives the timeout fault. */
  set(ms: number, onTimeout: (fault: Fault) => void): void {
    this.clear()
    this.#timer = setTimeout(() => {
      onTimeout(
        new Fault('upstream_timeout', 'upstream call timeout', {
          status: 504,
          reason: 'Timeout',
          cause: `no token within ${String(ms)} ms`,
        }),
      )
    }, ms)
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

/** The parts of an attempt. */
export interface AttemptParts {
  readonly option: Option
  readonly call: PreparedCall
  /** Observes the progress and the end of the attempt. */
  readonly watch: AttemptObserver
  readonly times: AttemptTimes
}

/** Owns the attempts of a request and receives their results. */
export interface AttemptOwner {
  /** The client has received a reply that itself reports if it breaks off. */
  readonly reportsFailure: boolean
  /** Whether another target can be tried. */
  canFailover(): boolean
  /** The request is in the provider's format and about to be sent. */
  requestSent(): void
  /** The attempt failed, and the next target is tried. */
  tryNext(after: Option, why: string): void
  /** @param isLast The pipeline of the attempt has completed. */
  deliver(reply: Reply, isLast: boolean): void
  /** The end of the response has been received. */
  complete(): void
  fail(fault: unknown): void
}

/** One attempt: sends the request to a target and observes the response. */
export class Attempt extends Subscriber<Exchange> {
  readonly watch: AttemptObserver
  readonly #x: Exchange
  readonly #owner: AttemptOwner
  readonly #option: Option
  readonly #call: PreparedCall
  readonly #times: AttemptTimes
  readonly #deadline = new AttemptDeadline()
  #isAdapting = false
  #isDrained = false
  #isCancelled = false

  constructor(x: Exchange, owner: AttemptOwner, { option, call, watch, times }: AttemptParts) {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- for operator makers; an observer costs a wrapper more
    super()
    this.watch = watch
    this.#x = x
    this.#owner = owner
    this.#option = option
    this.#call = call
    this.#times = times
  }

  start(): void {
    const { first } = this.#call
    const { candidate } = this.#option
    candidate.health.began()
    candidate.counts.began()
    if (!first) this.#sent()
    const x$ = ofExchange(this.#x)
    const start = first ? x$.pipe(first.stage(this.#sentGuarded)) : x$
    candidate.pipeline(start).subscribe(this)
  }

  /** Cancels the attempt; later signals are ignored. */
  cancel(): void {
    this.#isCancelled = true
    this.#deadline.clear()
    this.unsubscribe()
  }

  override unsubscribe(): void {
    if (this.closed) return
    this.#option.candidate.health.released()
    super.unsubscribe()
  }

  protected override _next({ reply }: Exchange): void {
    if (this.#isCancelled || !reply) return
    this.#guarded(() => {
      this.#take(reply)
    })
  }

  protected override _error(fault: unknown): void {
    if (!this.#isCancelled) this.#broken(fault)
    this.unsubscribe()
  }

  protected override _complete(): void {
    if (!this.#isCancelled) {
      this.#isDrained = true
      if (!this.#isAdapting) this.#owner.complete()
    }
    this.unsubscribe()
  }

  /** The time of the guards does not count as the provider's. */
  readonly #sentGuarded = (): void => {
    this.#times.startedAt = performance.now()
    this.#sent()
  }

  #sent(): void {
    this.#owner.requestSent()
    const { beginWithinMs } = this.#call
    if (beginWithinMs !== undefined) this.#deadline.set(beginWithinMs, this.#failed)
  }

  #broken(fault: unknown): void {
    if (!this.#owner.reportsFailure) {
      this.#failed(fault)
      return
    }
    // The stream reports it to the client; here it is only recorded.
    this.#x.downstream.truncatedBy ??= fault instanceof Error ? fault.message : 'broken'
    recordFailure(this.#option, reasonOf(fault))
    this.#owner.complete()
  }

  #take(reply: Reply): void {
    const { first, begin, beginWithinMs } = this.#call
    if (first?.refusal) {
      this.#refused(first.refusal)
      return
    }
    if (recordOutcome(this.#x, this.#option, reply, this.#times.startedAt) && this.#owner.canFailover()) {
      const why = `status ${String(reply.status)}`
      this.watch.ended({}, 'refused', why)
      reply.body.drop()
      this.#owner.tryNext(this.#option, why)
      return
    }
    const isGood = reply.status >= 200 && reply.status < 300
    if (begin && isGood && (beginWithinMs !== undefined || this.#owner.canFailover())) {
      this.#begin(begin, reply)
      return
    }
    this.#deadline.clear()
    this.#adapt(reply)
  }

  /** The request was never sent: the provider is not to blame. */
  #refused({ reply, isFinal }: GuardRefusal): void {
    this.watch.ended({}, 'refused', reply.code)
    if (!isFinal && this.#owner.canFailover()) this.#owner.tryNext(this.#option, reply.code ?? 'refused')
    else this.#owner.deliver(reply, this.#isDrained)
  }

  /** A stream that begins with an error counts as failed. */
  #begin(begin: NonNullable<PreparedCall['begin']>, reply: Reply): void {
    this.#isAdapting = true
    begin(reply).then((problem) => {
      if (this.#isCancelled) return
      this.#deadline.clear()
      // The provider's time ends here.
      this.#x.upstream.respondedAt = performance.now()
      this.#isAdapting = false
      if (problem !== undefined) recordFailure(this.#option, 'the stream began with an error')
      this.#guarded(() => {
        if (problem !== undefined && this.#owner.canFailover()) {
          this.watch.ended({}, 'refused', problem)
          this.#owner.tryNext(this.#option, problem)
        } else this.#adapt(reply)
      })
    }, this.#failed)
  }

  #adapt(reply: Reply): void {
    const made = setDroppedHeader(this.#x, this.#call.adapt(reply, this.watch))
    if (!(made instanceof Promise)) {
      this.#owner.deliver(made, this.#isDrained)
      return
    }
    this.#isAdapting = true
    made.then(
      (adapted) => {
        if (this.#isCancelled) return
        this.#isAdapting = false
        this.#owner.deliver(adapted, this.#isDrained)
      },
      (fault: unknown) => {
        if (!this.#isCancelled) this.#owner.fail(fault)
      },
    )
  }

  /** There is no response, or it is incomplete. */
  readonly #failed = (fault: unknown): void => {
    if (this.#isCancelled) return
    this.#isAdapting = false
    this.watch.ended({}, 'failed', fault instanceof Error ? fault.message : 'failed')
    const isProviders = fault instanceof Fault && isFaultWorthAnother(fault)
    if (isProviders) recordFailure(this.#option, fault.code)
    if (isProviders && this.#owner.canFailover())
      this.#guarded(() => this.#owner.tryNext(this.#option, fault.code))
    else this.#owner.fail(fault)
  }

  /** Errors thrown here would reach callbacks without an exchange. */
  #guarded(run: () => void): void {
    try {
      run()
    } catch (bug) {
      this.#owner.fail(bug)
    }
  }
}

const reasonOf = (fault: unknown): string => (fault instanceof Fault ? fault.code : 'broken')
