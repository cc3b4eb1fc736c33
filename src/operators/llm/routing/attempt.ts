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

/** Until when something has to have happened; one at a time. */
export class AttemptDeadline {
  #timer: NodeJS.Timeout | undefined = undefined

  /** @param late Is told what has gone wrong then. */
  set(ms: number, late: (fault: Fault) => void): void {
    this.clear()
    this.#timer = setTimeout(() => {
      late(
        new Fault('upstream_timeout', 'upstream call timeout', {
          status: 504,
          reason: 'Timeout',
          cause: `no token within ${String(ms)} ms`,
        }),
      )
    }, ms)
  }

  /** It has happened, or nobody waits for it any more. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

/** What an attempt is made with. */
export interface AttemptParts {
  readonly option: Option
  readonly answering: PreparedCall
  /** Is told how it goes on and ends. */
  readonly watch: AttemptObserver
  readonly times: AttemptTimes
}

/** Who makes attempts, one after another, and is told how the present one goes. */
export interface AttemptMaker {
  /** The client has been given an answer that says by itself if it breaks off. */
  readonly tellsFailure: boolean
  /** Whether there is somebody else to ask. */
  mayGoOn(): boolean
  /** The request is the provider's, and about to be sent. */
  sent(): void
  /** It came to nothing, and somebody else is to be asked. */
  again(after: Option, why: string): void
  /** @param isLast Nothing more comes from where this came from. */
  answer(reply: Reply, isLast: boolean): void
  /** The last of the answer has come from the provider. */
  complete(): void
  fail(fault: unknown): void
}

/** One attempt to have a request answered: an option is asked, and what comes of it is observed. */
export class Attempt extends Subscriber<Exchange> {
  readonly watch: AttemptObserver
  readonly #x: Exchange
  readonly #maker: AttemptMaker
  readonly #option: Option
  readonly #answering: PreparedCall
  readonly #times: AttemptTimes
  readonly #late = new AttemptDeadline()
  #isAdapting = false
  #isDrained = false
  #isLeft = false

  constructor(x: Exchange, maker: AttemptMaker, { option, answering, watch, times }: AttemptParts) {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- for operator makers; an observer costs a wrapper more
    super()
    this.watch = watch
    this.#x = x
    this.#maker = maker
    this.#option = option
    this.#answering = answering
    this.#times = times
  }

  start(): void {
    const { first } = this.#answering
    const { candidate } = this.#option
    candidate.health.pending++
    if (!first) this.#sent()
    const x$ = ofExchange(this.#x)
    const start = first ? x$.pipe(first.stage(this.#sentGuarded)) : x$
    candidate.pipeline(start).subscribe(this)
  }

  /** Nobody waits for it any more: what still comes of it is not heard. */
  leave(): void {
    this.#isLeft = true
    this.#late.clear()
    this.unsubscribe()
  }

  override unsubscribe(): void {
    if (this.closed) return
    this.#option.candidate.health.pending--
    super.unsubscribe()
  }

  protected override _next({ reply }: Exchange): void {
    if (this.#isLeft || !reply) return
    this.#guarded(() => {
      this.#take(reply)
    })
  }

  protected override _error(fault: unknown): void {
    if (!this.#isLeft) this.#broken(fault)
    this.unsubscribe()
  }

  protected override _complete(): void {
    if (!this.#isLeft) {
      this.#isDrained = true
      if (!this.#isAdapting) this.#maker.complete()
    }
    this.unsubscribe()
  }

  /** The time of the guards is not held against the provider. */
  readonly #sentGuarded = (): void => {
    this.#times.startedAt = performance.now()
    this.#sent()
  }

  #sent(): void {
    this.#maker.sent()
    const { beginWithinMs } = this.#answering
    if (beginWithinMs !== undefined) this.#late.set(beginWithinMs, this.#failed)
  }

  #broken(fault: unknown): void {
    if (!this.#maker.tellsFailure) {
      this.#failed(fault)
      return
    }
    // The stream has said so, or is about to: what is left to do is to remember it.
    this.#x.downstream.truncatedBy ??= fault instanceof Error ? fault.message : 'broken'
    recordFailure(this.#option)
    this.#maker.complete()
  }

  #take(reply: Reply): void {
    const { first, begin, beginWithinMs } = this.#answering
    if (first?.refusal) {
      this.#refused(first.refusal)
      return
    }
    if (recordOutcome(this.#x, this.#option, reply, this.#times.startedAt) && this.#maker.mayGoOn()) {
      const why = `status ${String(reply.status)}`
      this.watch.ended({}, 'refused', why)
      reply.body.drop()
      this.#maker.again(this.#option, why)
      return
    }
    const isGood = reply.status >= 200 && reply.status < 300
    if (begin && isGood && (beginWithinMs !== undefined || this.#maker.mayGoOn())) {
      this.#begin(begin, reply)
      return
    }
    this.#late.clear()
    this.#adapt(reply)
  }

  /** It was never sent: the provider is not to blame. */
  #refused({ reply, isFinal }: GuardRefusal): void {
    this.watch.ended({}, 'refused', reply.code)
    if (!isFinal && this.#maker.mayGoOn()) this.#maker.again(this.#option, reply.code ?? 'refused')
    else this.#maker.answer(reply, this.#isDrained)
  }

  /** A stream that begins with an error has not begun. */
  #begin(begin: NonNullable<PreparedCall['begin']>, reply: Reply): void {
    this.#isAdapting = true
    begin(reply).then((problem) => {
      if (this.#isLeft) return
      this.#late.clear()
      // Until now the provider was waited for.
      this.#x.upstream.respondedAt = performance.now()
      this.#isAdapting = false
      if (problem !== undefined) recordFailure(this.#option)
      this.#guarded(() => {
        if (problem !== undefined && this.#maker.mayGoOn()) {
          this.watch.ended({}, 'refused', problem)
          this.#maker.again(this.#option, problem)
        } else this.#adapt(reply)
      })
    }, this.#failed)
  }

  #adapt(reply: Reply): void {
    const made = setDroppedHeader(this.#x, this.#answering.adapt(reply, this.watch))
    if (!(made instanceof Promise)) {
      this.#maker.answer(made, this.#isDrained)
      return
    }
    this.#isAdapting = true
    made.then(
      (answer) => {
        if (this.#isLeft) return
        this.#isAdapting = false
        this.#maker.answer(answer, this.#isDrained)
      },
      (fault: unknown) => {
        if (!this.#isLeft) this.#maker.fail(fault)
      },
    )
  }

  /** There is no answer, or not all of it. */
  readonly #failed = (fault: unknown): void => {
    if (this.#isLeft) return
    this.#isAdapting = false
    this.watch.ended({}, 'failed', fault instanceof Error ? fault.message : 'failed')
    const isProviders = fault instanceof Fault && isFaultWorthAnother(fault)
    if (isProviders) recordFailure(this.#option)
    if (isProviders && this.#maker.mayGoOn()) this.#guarded(() => this.#maker.again(this.#option, fault.code))
    else this.#maker.fail(fault)
  }

  /** What breaks here has callbacks below it that know of no exchange. */
  #guarded(run: () => void): void {
    try {
      run()
    } catch (bug) {
      this.#maker.fail(bug)
    }
  }
}
