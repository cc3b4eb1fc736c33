import { catchError, concat, defer, EMPTY, mergeMap, type Observable, of, takeWhile, timer } from 'rxjs'
import { type Evaluate, holds } from '../model/evaluate.ts'
import type { Exchange } from '../model/exchange.ts'
import { Fault } from '../model/fault.ts'
import { onReply, onRequest, type Operator } from '../pipeline/stage.ts'
import { bodiesReadBy, holding } from './body/hold.ts'
import { replayable, type ReplayableRequest } from './body/replayable-request.ts'

/** When to call again. */
export interface RetryOptions {
  /** Calls after the first. */
  readonly attempts: number
  /** Statuses that are worth another call. */
  readonly codes: readonly number[]
  /** Wait between calls. */
  readonly backoffMs?: number | undefined
  /** Asked about the request: without it, or if it does not hold, there is one call only. */
  readonly precondition?: Evaluate | undefined
  /** Asked about each reply: it is worth another call if this holds, whatever its status. */
  readonly condition?: Evaluate | undefined
  /** How much of a body the expressions may read; a longer one is refused with 413, or 502 for a reply. */
  readonly bufferLimitBytes: number
}

/**
 * Runs `attempt` again while it fails: with a listed status, a reply that meets the condition, or a fault of the call
 * itself (no connection, no answer in time, no address). The request goes out each time as it came in, with
 * `x-retry-attempt` counting the calls after the first; whatever an attempt changed about it is undone.
 *
 * Only requests whose body can be sent twice are tried twice: bodies up to 64 KiB, recorded while they stream, and those
 * in memory. Once a reply was passed on there is no further attempt. Wraps the backend and all that belongs to it, inside
 * the exchange's time-out.
 */
export const retry = (options: RetryOptions, attempt: Operator): Operator => {
  const { precondition, condition, bufferLimitBytes } = options
  // What the condition reads of the request has to be kept before it is sent.
  const { request } = bodiesReadBy([precondition, condition])
  const { reply } = bodiesReadBy([condition])
  const hold =
    request &&
    onRequest(
      'retry',
      holding({ request, reply: false }, bufferLimitBytes, () => undefined),
    )
  const inspect =
    reply &&
    onReply(
      'retry',
      holding({ request: false, reply }, bufferLimitBytes, () => undefined),
    )
  const call = new Calls(options, inspect ? (source) => inspect(attempt(source)) : attempt)
  const begin = mergeMap((x: Exchange) => call.begin(x))
  return hold ? (source) => begin(hold(source)) : begin
}

/** The calls of one exchange after another; what changes from call to call is an argument. */
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
    // What this policy says with this field, the client may not.
    x.request.headers.delete('x-retry-attempt')
    const { precondition } = this.#options
    const request = precondition && !holds(precondition, x) ? undefined : replayable(x.request)
    return request ? this.#call(x, request, 0) : this.#attempt(of(x))
  }

  #call(x: Exchange, request: ReplayableRequest, retries: number): Observable<Exchange> {
    let again: string | undefined
    let passedOn = false
    const mayRepeat = () =>
      !passedOn && !x.committed && retries < this.#options.attempts && request.isReplayable
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
    x.probe?.note({ type: 'policyEvent', kind: 'retry', details: `retry ${retries} after ${why}` })
    request.restore(x, retries)
    const { backoffMs } = this.#options
    if (!backoffMs) return this.#call(x, request, retries)
    return timer(backoffMs).pipe(mergeMap(() => this.#call(x, request, retries)))
  }

  #isWorthARetry(x: Exchange): boolean {
    const { reply } = x
    if (!reply || reply.tunnel) return false
    const { condition } = this.#options
    return this.#codes.has(reply.status) || (condition !== undefined && holds(condition, x))
  }
}

/** Faults of the call itself: whatever was sent, no answer came of it. */
const isRetryable = (fault: unknown): fault is Fault => fault instanceof Fault && repeatable.has(fault.code)

const repeatable: ReadonlySet<string> = new Set([
  'upstream_connect',
  'upstream_dns',
  'upstream_failed',
  'upstream_malformed',
  'upstream_timeout',
])
