import { performance } from 'node:perf_hooks'
import { Observable, type Subscriber } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Reply } from '../../../model/exchange/reply.ts'
import { replayable, type ReplayableRequest } from '../../body/replayable-request.ts'
import { isObserved, type ObservedBody } from '../reply/stream-observer.ts'
import type { ProviderCalls } from './provider-call.ts'
import { Attempt, type AttemptMaker } from './attempt.ts'
import { nextOption, noTargetLeft } from './next-target.ts'
import type { Option, OptionGroups } from './provider-target.ts'
import { traceFailover } from '../usage/trace-llm.ts'

/**
 * Asks one option after another until one answers: each at most once, and only while nothing of an answer has been passed
 * on. A client never sees the failure of an option that had a successor. What ends them (`begin`) holds no request.
 */
export const attemptObserver = (x: Exchange, options: AttemptOptions): Observable<Exchange> =>
  new Observable((out) => begin(x, options, out))

const begin = (x: Exchange, options: AttemptOptions, out: Subscriber<Exchange>): (() => void) => {
  const run = new Failover(x, options, out)
  run.next()
  return run.stop.bind(run)
}

/** What attempts need besides the exchange. */
export interface AttemptOptions {
  readonly groups: OptionGroups
  readonly ask: ProviderCalls
  readonly random: () => number
}

/** The attempts to have one request answered. Each option is asked at most once. */
export class Failover implements AttemptMaker {
  readonly #x: Exchange
  readonly #groups: OptionGroups
  readonly #random: () => number
  /** Gone once there is nobody else to ask: it holds what was read of the request, which may be long. */
  #ask: ProviderCalls | undefined
  readonly #out: Subscriber<Exchange>
  readonly #tried: Option[] = []
  readonly #request: ReplayableRequest | undefined
  #attempt: Attempt | undefined = undefined
  #body: ObservedBody | undefined = undefined
  #isAnswered = false

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
    this.#attempt?.leave()
    this.#request?.close()
    this.#body?.abandon()
  }

  next(): void {
    const x = this.#x
    const ask = this.#ask
    const option = nextOption(this.#groups, this.#tried, this.#random)
    if (!option || !ask) {
      this.answer(noTargetLeft(), true)
      return
    }
    this.#tried.push(option)
    const answering = ask.prepare(x, option)
    if (answering instanceof Reply) {
      if (this.mayGoOn()) this.again(option, answering.code ?? 'refused')
      else this.answer(answering, true)
      return
    }
    const times = { startedAt: performance.now() }
    const watch = ask.settled(x, option, times)
    this.#attempt = new Attempt(x, this, { option, answering, watch, times })
    this.#attempt.start()
  }

  get tellsFailure(): boolean {
    return this.#body?.tellsFailure === true
  }

  mayGoOn(): boolean {
    if (this.#isAnswered || this.#x.downstream.committed || !this.#request?.isReplayable) return false
    return nextOption(this.#groups, this.#tried, this.#random) !== undefined
  }

  sent(): void {
    if (!this.#request) this.#forget()
  }

  again(after: Option, why: string): void {
    traceFailover(this.#x, after.candidate.provider.name, why)
    this.#attempt?.leave()
    this.#request?.restore(this.#x)
    this.next()
  }

  answer(reply: Reply, isLast: boolean): void {
    this.#isAnswered = true
    this.#request?.close()
    this.#forget()
    this.#x.reply = reply
    if (isObserved(reply.body)) this.#body = reply.body
    this.#out.next(this.#x)
    if (isLast) this.complete()
  }

  /** A body may last longer than its source: decoding takes its time. */
  complete(): void {
    const complete = () => {
      this.#out.complete()
    }
    if (this.#body) this.#attempt?.watch.afterEnd(complete)
    else complete()
  }

  fail(fault: unknown): void {
    this.#out.error(fault)
  }

  #forget(): void {
    this.#ask = undefined
    if (this.#x.protocol.llm) this.#x.protocol.llm.request = undefined
  }
}
