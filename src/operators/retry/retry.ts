import { catchError, concat, defer, EMPTY, mergeMap, type Observable, of, takeWhile, timer } from 'rxjs'
import { DEFAULT_BUFFER_BYTES } from '../../model/exchange/buffer-limit.ts'
import { type Evaluate, isTrue } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import { mayMultiply } from '../../protocols/http/cdn-loop.ts'
import { onReply, onRequest, type Operator } from '../../pipeline/stage.ts'
import { bodiesReadBy, withBufferedBodies } from '../body/buffer-body.ts'
import { replayable, type ReplayableRequest } from '../body/replayable-request.ts'
import { activityOf } from '../../model/introspection/exchange-activity.ts'

/** When calls are repeated. */
export interface RetryOptions {
  /** Calls after the first. */
  readonly attempts: number
  /** Statuses that are retried. */
  readonly codes: readonly number[]
  /** Delay between calls. */
  readonly backoffMs?: number | undefined
  /** Evaluated for the request: without it, or if it does not hold, there is only one call. */
  readonly precondition?: Evaluate | undefined
  /** Evaluated for each reply: it is retried if this holds, whatever its status. */
  readonly condition?: Evaluate | undefined
  /**
   * Longest body that the expressions may read, in bytes, 2 MiB by default; a longer one is refused with 413, or 502
   * for a reply.
   */
  readonly bufferLimitBytes?: number | undefined
}

/**
 * Repeats `attempt` while it fails: with a listed status, a reply that meets the condition, or a fault of the call
 * itself (no connection, no response in time, no address). The request is sent each time as it was received, with
 * `x-retry-attempt` counting the calls after the first; changes by an attempt are undone.
 *
 * Only requests whose body can be sent twice are retried: bodies up to 64 KiB, recorded while they stream, and those in
 * memory, and that have not passed two gateways of this kind before. Once a reply was passed on there is no further attempt. Wraps the backend and its stages, inside the
 * exchange's timeout.
 */
export const retry = (options: RetryOptions, attempt: Operator): Operator => {
  const { precondition, condition, bufferLimitBytes = DEFAULT_BUFFER_BYTES } = options
  // The condition may read the request body, which then has to be buffered before it is sent.
  const { request } = bodiesReadBy([precondition, condition])
  const { reply } = bodiesReadBy([condition])
  const buffering =
    request &&
    onRequest(
      'retry',
      withBufferedBodies({ request, reply: false }, bufferLimitBytes, () => undefined),
    )
  const inspect =
    reply &&
    onReply(
      'retry',
      withBufferedBodies({ request: false, reply }, bufferLimitBytes, () => undefined),
    )
  const call = new Calls(options, inspect ? (source) => inspect(attempt(source)) : attempt)
  const begin = mergeMap((x: Exchange) => call.begin(x))
  return buffering ? (source) => begin(buffering(source)) : begin
}

/** The calls of one exchange; everything that differs between calls is an argument. */
class Calls {
  readonly #options: RetryOptions
  readonly #codes: ReadonlySet<number>
  readonly #attempt: Operator

  constructor(options: RetryOptions, attempt: Operator) {
    this.#options = options
    this.#codes = new Set(options.codes)
    this.#attempt = attempt
  }

  begin(x: Exchange): Observable<Exchange> {
    if (x.reply) return of(x)
    // This field is reserved for the policy: the client's own is removed.
    x.request.headers.delete('x-retry-attempt')
    const { precondition } = this.#options
    const mayRetry = mayMultiply(x.request.cdnLoop) && (!precondition || isTrue(precondition, x))
    const request = mayRetry ? replayable(x.request) : undefined
    return request ? this.#call(x, request, 0) : this.#attempt(of(x))
  }

  #call(x: Exchange, request: ReplayableRequest, retries: number): Observable<Exchange> {
    let again: string | undefined
    let passedOn = false
    const mayRepeat = () =>
      !passedOn && !x.downstream.committed && retries < this.#options.attempts && request.isReplayable
    const attempt$ = this.#attempt(of(x)).pipe(
      catchError((fault: unknown) => {
        if (!mayRepeat() || !isRetryable(fault)) {
          request.close()
          throw fault
        }
        again = fault.code
        return EMPTY
      }),
      takeWhile((came) => {
        if (mayRepeat() && this.#isWorthARetry(came)) {
          again = `status ${came.reply?.status ?? 0}`
          came.reply?.body.drop()
          return false
        }
        passedOn = true
        request.close()
        return true
      }),
    )
    return concat(
      attempt$,
      defer(() => (again === undefined ? EMPTY : this.#again(x, request, retries + 1, again))),
    )
  }

  #again(x: Exchange, request: ReplayableRequest, retries: number, why: string): Observable<Exchange> {
    x.probe?.record({ type: 'policyEvent', kind: 'retry', details: `retry ${retries} after ${why}` })
    request.restore(x, retries)
    const { backoffMs } = this.#options
    if (!backoffMs) return this.#call(x, request, retries)
    const activity = activityOf(x)
    const outer = activity.stage
    activity.stage = { name: 'retry backoff', startedAt: performance.now() }
    return timer(Math.min(backoffMs, LONGEST_TIMER_MS)).pipe(
      mergeMap(() => {
        activity.stage = outer
        return this.#call(x, request, retries)
      }),
    )
  }

  #isWorthARetry(x: Exchange): boolean {
    const { reply } = x
    if (!reply || reply.tunnel) return false
    const { condition } = this.#options
    return this.#codes.has(reply.status) || (condition !== undefined && isTrue(condition, x))
  }
}

/** Faults of the call itself: whatever was sent, there was no response. */
const isRetryable = (fault: unknown): fault is Fault => fault instanceof Fault && repeatable.has(fault.code)

const repeatable: ReadonlySet<string> = new Set([
  'too_many_informational',
  'upstream_connect',
  'upstream_dns',
  'upstream_failed',
  'upstream_malformed',
  'upstream_timeout',
])

/** Node runs longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
