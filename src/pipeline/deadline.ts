import { performance } from 'node:perf_hooks'
import { mergeMap, Observable, of } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'
import { activityOf } from '../model/introspection/exchange-activity.ts'
import type { Operator } from './stage.ts'

/** A limit on the time of a part of the pipeline. */
export interface Deadline {
  /** Names the timer in reports. */
  readonly name: string
  /** Milliseconds left for this exchange; with none left nothing is started. */
  readonly leftMs: (x: Exchange) => number
  /** What must complete in time: the head of the reply, or its last byte. */
  readonly until: 'reply' | 'end'
  /** Makes the fault of a timeout. */
  readonly fault: () => Error
}

/**
 * Runs `inner` for each exchange and fails it after the deadline, cancelling whatever `inner` was doing.
 *
 * Exchanges that turn into a tunnel (an accepted upgrade) are complete and have no further limit. Uses a Node timer
 * each: Rx timers are intervals with a scheduler around them.
 */
export const deadline = (inner: Operator, { name, leftMs, until, fault }: Deadline): Operator =>
  mergeMap((x) => {
    if (x.reply) return of(x)
    return new Observable<Exchange>((out) => {
      const left = leftMs(x)
      if (left <= 0) {
        out.error(fault())
        return
      }
      const activity = activityOf(x)
      const pending = { name, dueAt: performance.now() + left }
      activity.setTimer(pending)
      const timer = setTimeout(
        () => {
          // A call cancelled by a timeout counts against its endpoint.
          x.upstream.timedOut = true
          out.error(fault())
        },
        Math.min(left, LONGEST_TIMER_MS),
      )
      const clear = () => {
        clearTimeout(timer)
        activity.clearTimer(pending)
      }
      out.add(clear)
      out.add(
        inner(of(x)).subscribe({
          next(came) {
            if (until === 'reply' || came.reply?.tunnel) clear()
            out.next(came)
          },
          error(given) {
            out.error(given)
          },
          complete() {
            out.complete()
          },
        }),
      )
    })
  })

/** Node fires longer timers at once. Nobody waits for 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
