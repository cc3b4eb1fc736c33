import { of, type Subscriber, type Subscription } from 'rxjs'
import type { Exchange } from '../../../model/exchange.ts'
import { Fault } from '../../../model/fault.ts'
import { Reply } from '../../../model/reply.ts'
import { replayable, type ReplayableRequest } from '../../body/replayable-request.ts'
import type { Answering, Ask, Refusal } from './ask.ts'
import type { Attempt, AttemptOptions } from './attempt.ts'
import type { Option, OptionGroups } from './candidate.ts'
import { Deadline } from './deadline.ts'
import { nextOption, nobodyLeft } from './next-option.ts'
import { isFaultWorthAnother, judge, noteFailure } from './provider-health.ts'
import { tellFailover } from './tell-trace.ts'
import { type AttemptWatch, isWatched, type WatchedBody } from './stream-watch.ts'

/** The attempts to have one request answered. Each option is asked at most once. */
export class Attempts {
  readonly #x: Exchange
  readonly #groups: OptionGroups
  readonly #random: () => number
  /** Gone once there is nobody else to ask: it holds what was read of the request, which may be long. */
  #ask: Ask | undefined
  readonly #out: Subscriber<Exchange>
  readonly #tried = new Set<Option>()
  readonly #request: ReplayableRequest | undefined
  #run: Subscription | undefined = undefined
  /** Of attempts, so that what comes late of one is known. */
  #turn = 0
  #body: WatchedBody | undefined = undefined
  #watch: AttemptWatch | undefined = undefined
  #isAnswered = false
  #isAdapting = false
  #isDrained = false
  readonly #late = new Deadline()

  constructor(x: Exchange, options: AttemptOptions, out: Subscriber<Exchange>) {
    this.#x = x
    this.#groups = options.groups
    this.#random = options.random
    this.#ask = options.ask
    this.#out = out
    const [first, ...more] = options.groups
    this.#request = more.length || (first && first.length > 1) ? replayable(x.request) : undefined
  }

  /** Nobody waits any more. Of what has begun, what is known by now counts. */
  stop(): void {
    this.#turn++
    this.#late.clear()
    this.#run?.unsubscribe()
    this.#request?.close()
    this.#body?.abandon()
  }

  next(): void {
    const x = this.#x
    const ask = this.#ask
    const now = performance.now()
    const option = nextOption(this.#groups, this.#tried, now, this.#random)
    if (!option || !ask) {
      this.#answer(nobodyLeft(), true)
      return
    }
    this.#tried.add(option)
    const turn = ++this.#turn
    const prepared = ask.prepare(x, option)
    if (prepared instanceof Reply) {
      if (this.#mayGoOn()) this.#again(option, prepared.code ?? 'refused')
      else this.#answer(prepared, true)
      return
    }
    const times = { startedAt: now }
    const watch = ask.settled(x, option, times)
    this.#watch = watch
    const { candidate } = option
    candidate.health.pending++
    const attempt = { option, watch, turn, times }
    const sent = (): void => {
      times.startedAt = performance.now()
      if (!this.#request) this.#forget()
      if (prepared.beginWithinMs !== undefined)
        this.#late.set(prepared.beginWithinMs, (fault) => {
          this.#failed(fault, attempt)
        })
    }
    if (!prepared.first) sent()
    const start = prepared.first ? of(x).pipe(prepared.first.stage(sent)) : of(x)
    const run = candidate.pipeline(start).subscribe({
      next: ({ reply }) => {
        if (turn !== this.#turn || !reply) return
        this.#guarded(() => {
          this.#take(reply, prepared, attempt)
        })
      },
      error: (fault: unknown) => {
        if (turn !== this.#turn) return
        if (this.#body?.tellsFailure) {
          // The stream has said so, or is about to: what is left to do is to remember it.
          this.#x.cutShort ??= fault instanceof Error ? fault.message : 'broken'
          noteFailure(option)
          this.#complete()
          return
        }
        this.#failed(fault, attempt)
      },
      complete: () => {
        if (turn !== this.#turn) return
        this.#isDrained = true
        if (!this.#isAdapting) this.#complete()
      },
    })
    run.add(() => {
      candidate.health.pending--
    })
    // A run that failed inside of `subscribe` has been followed by the next one already.
    if (turn === this.#turn) this.#run = run
    else run.unsubscribe()
  }

  #take(reply: Reply, prepared: Answering, attempt: Attempt): void {
    const { option, watch, turn, times } = attempt
    if (prepared.first?.refusal) {
      this.#refused(prepared.first.refusal, attempt)
      return
    }
    if (judge(this.#x, option, reply, times.startedAt) && this.#mayGoOn()) {
      watch.ended({}, 'refused', `status ${String(reply.status)}`)
      reply.body.drop()
      this.#again(option, `status ${String(reply.status)}`)
      return
    }
    const { begin, beginWithinMs } = prepared
    const isGood = reply.status >= 200 && reply.status < 300
    if (begin && isGood && (beginWithinMs !== undefined || this.#mayGoOn())) {
      this.#begin(begin, prepared, reply, attempt)
      return
    }
    this.#late.clear()
    this.#adapt(prepared.adapt(reply, watch), turn)
  }

  /** It was never sent: the provider is not to blame. */
  #refused({ reply, isFinal }: Refusal, { option, watch }: Attempt): void {
    watch.ended({}, 'refused', reply.code)
    if (!isFinal && this.#mayGoOn()) this.#again(option, reply.code ?? 'refused')
    else this.#answer(reply, this.#isDrained)
  }

  /** What breaks here has callbacks below it that know of no exchange. */
  #guarded(run: () => void): void {
    try {
      run()
    } catch (bug) {
      this.#out.error(bug)
    }
  }

  #forget(): void {
    this.#ask = undefined
    if (this.#x.llm) this.#x.llm.request = undefined
  }

  /** A stream that begins with an error has not begun. */
  #begin(begin: NonNullable<Answering['begin']>, prepared: Answering, reply: Reply, attempt: Attempt): void {
    const { option, watch, turn } = attempt
    this.#isAdapting = true
    begin(reply).then(
      (problem) => {
        if (turn !== this.#turn) return
        this.#late.clear()
        // Until now the provider was waited for.
        this.#x.upstreamRepliedAt = performance.now()
        this.#isAdapting = false
        if (problem !== undefined) noteFailure(option)
        this.#guarded(() => {
          if (problem !== undefined && this.#mayGoOn()) {
            watch.ended({}, 'refused', problem)
            this.#again(option, problem)
          } else this.#adapt(prepared.adapt(reply, watch), turn)
        })
      },
      (fault: unknown) => {
        this.#failed(fault, attempt)
      },
    )
  }

  /** There is no answer, or not all of it. */
  #failed(fault: unknown, { option, watch, turn }: Attempt): void {
    if (turn !== this.#turn) return
    this.#isAdapting = false
    watch.ended({}, 'failed', fault instanceof Error ? fault.message : 'failed')
    const isProviders = fault instanceof Fault && isFaultWorthAnother(fault)
    if (isProviders) noteFailure(option)
    if (isProviders && this.#mayGoOn()) this.#guarded(() => this.#again(option, fault.code))
    else this.#out.error(fault)
  }

  #adapt(made: Reply | Promise<Reply>, turn: number): void {
    if (!(made instanceof Promise)) {
      this.#answer(made, this.#isDrained)
      return
    }
    this.#isAdapting = true
    made.then(
      (reply) => {
        if (turn !== this.#turn) return
        this.#isAdapting = false
        this.#answer(reply, this.#isDrained)
      },
      (fault: unknown) => {
        if (turn === this.#turn) this.#out.error(fault)
      },
    )
  }

  #answer(reply: Reply, isLast: boolean): void {
    this.#isAnswered = true
    this.#request?.close()
    this.#forget()
    this.#x.reply = reply
    if (isWatched(reply.body)) this.#body = reply.body
    this.#out.next(this.#x)
    if (isLast) this.#complete()
  }

  /** A body may last longer than its source: decoding takes its time. */
  #complete(): void {
    const complete = () => {
      this.#out.complete()
    }
    if (this.#body) this.#watch?.afterEnd(complete)
    else complete()
  }

  #again(after: Option, why: string): void {
    tellFailover(this.#x, after.candidate.provider.name, why)
    this.#turn++
    this.#isDrained = false
    this.#isAdapting = false
    this.#late.clear()
    this.#run?.unsubscribe()
    this.#request?.restore(this.#x)
    this.next()
  }

  #mayGoOn(): boolean {
    if (this.#isAnswered || this.#x.committed || !this.#request?.isReplayable) return false
    return nextOption(this.#groups, this.#tried, performance.now(), this.#random) !== undefined
  }
}
