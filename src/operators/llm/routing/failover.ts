import { performance } from 'node:perf_hooks'
import { Observable, type Subscriber } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Reply, deny } from '../../../model/exchange/reply.ts'
import { BetterOfTwo } from '../../../upstream/load-balancing/balancer.ts'
import { chooseEndpoint } from '../../../upstream/load-balancing/choose-endpoint.ts'
import type { EndpointHealth } from '../../../upstream/load-balancing/outlier-detection.ts'
import { replayable, type ReplayableRequest } from '../../body/replayable-request.ts'
import { isObserved, type ObservedBody } from '../reply/stream-observer.ts'
import type { ProviderCalls } from './provider-call.ts'
import { Attempt, type AttemptOwner } from './attempt.ts'
import type { Option, OptionGroups } from './provider-target.ts'
import { traceFailover } from '../usage/trace-llm.ts'

/**
 * Tries one target after another until one responds: each at most once, and only while nothing of a reply has been
 * passed on. A client never sees the failure of a target that had a successor. The teardown (`begin`) retains no
 * request.
 */
export const callWithFailover = (x: Exchange, options: AttemptOptions): Observable<Exchange> =>
  new Observable((out) => begin(x, options, out))

const begin = (x: Exchange, options: AttemptOptions, out: Subscriber<Exchange>): (() => void) => {
  const run = new Failover(x, options, out)
  run.next()
  return run.stop.bind(run)
}

/** What attempts need besides the exchange. */
export interface AttemptOptions {
  readonly groups: OptionGroups
  readonly calls: ProviderCalls
  readonly random: () => number
}

/** The attempts for one request. Each target is tried at most once. */
export class Failover implements AttemptOwner {
  readonly #x: Exchange
  readonly #groups: OptionGroups
  readonly #random: () => number
  /** Cleared when no other target can be tried: it retains the parsed request, which may be long. */
  #calls: ProviderCalls | undefined
  readonly #out: Subscriber<Exchange>
  readonly #tried: Option[] = []
  readonly #request: ReplayableRequest | undefined
  #attempt: Attempt | undefined = undefined
  #body: ObservedBody | undefined = undefined
  #hasReplied = false

  constructor(x: Exchange, options: AttemptOptions, out: Subscriber<Exchange>) {
    this.#x = x
    this.#groups = options.groups
    this.#random = options.random
    this.#calls = options.calls
    this.#out = out
    const [first, ...more] = options.groups
    this.#request = more.length || (first && first.length > 1) ? replayable(x.request) : undefined
  }

  /** The client is gone. What is known of a running attempt counts. */
  stop(): void {
    this.#attempt?.cancel()
    this.#request?.close()
    this.#body?.abandon()
  }

  next(): void {
    const x = this.#x
    const calls = this.#calls
    const option = nextOption(this.#groups, this.#tried, this.#random)
    if (!option || !calls) {
      this.deliver(noTargetLeft(), true)
      return
    }
    this.#tried.push(option)
    const call = calls.prepare(x, option)
    if (call instanceof Reply) {
      if (this.canFailover()) this.tryNext(option, call.code ?? 'refused')
      else this.deliver(call, true)
      return
    }
    const times = { startedAt: performance.now() }
    const watch = calls.observe(x, option, times)
    this.#attempt = new Attempt(x, this, { option, call, watch, times })
    this.#attempt.start()
  }

  get reportsFailure(): boolean {
    return this.#body?.reportsFailure === true
  }

  canFailover(): boolean {
    if (this.#hasReplied || this.#x.downstream.committed || !this.#request?.isReplayable) return false
    return nextOption(this.#groups, this.#tried, this.#random) !== undefined
  }

  requestSent(): void {
    if (!this.#request) this.#releaseRequest()
  }

  tryNext(after: Option, why: string): void {
    traceFailover(this.#x, after.candidate.provider.name, why)
    this.#attempt?.cancel()
    this.#request?.restore(this.#x)
    this.next()
  }

  deliver(reply: Reply, isLast: boolean): void {
    this.#hasReplied = true
    this.#request?.close()
    this.#releaseRequest()
    this.#x.reply = reply
    if (isObserved(reply.body)) this.#body = reply.body
    this.#out.next(this.#x)
    if (isLast) this.complete()
  }

  /** A body may outlast its source: decoding takes time. */
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

  #releaseRequest(): void {
    this.#calls = undefined
    if (this.#x.protocol.llm) this.#x.protocol.llm.request = undefined
  }
}

/**
 * The next target: from the first group that has an untried one in service; among equals the better of two drawn at
 * random. Each is tried once. If all that are left are out of service they are tried all the same: the response of one
 * that failed before is better than none.
 */
const nextOption = (
  groups: OptionGroups,
  tried: readonly Option[],
  random: () => number,
): Option | undefined => {
  const left = tried.length
    ? groups.map((group) => group.filter((one) => !tried.includes(one))).filter((group) => group.length > 0)
    : groups
  const [only] = left
  if (!only || (left.length === 1 && only.length === 1)) return only?.[0]
  const now = performance.now()
  const group = left.find((some) => some.some(({ candidate }) => !candidate.health.isEvicted(now))) ?? only
  if (group.length < 2) return group[0]
  return chooseEndpoint(group.map(choice), { now, balancer: new BetterOfTwo(random) })?.option
}

/** The reply if there is no target to try. */
const noTargetLeft = (): Reply =>
  deny(503, 'no_endpoint', { message: 'no healthy backends', reason: 'NoHealthyBackend' })

const choice = (option: Option): { option: Option; health: EndpointHealth; seed: number } => ({
  option,
  health: option.candidate.health,
  seed: option.candidate.seed,
})
