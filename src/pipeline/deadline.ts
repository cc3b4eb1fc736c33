import { mergeMap, Observable, of } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'
import type { Operator } from './stage.ts'

/** How long something may take. */
export interface Deadline {
  /** Milliseconds left for this exchange; nothing is begun if there are none. */
  readonly leftMs: (x: Exchange) => number
  /** What has to happen in time: the head of the answer, or all of it to the last byte. */
  readonly until: 'reply' | 'end'
  /** What is said when it did not. */
  readonly fault: () => Error
}

/**
 * Runs `inner` for each exchange and fails it once its time is up, letting go of whatever `inner` was doing.
 *
 * Exchanges that turn into a tunnel (an accepted upgrade) have answered in time and may stay. A Node timer each: Rx
 * timers are intervals with a scheduler around them.
 */
export const deadline = (inner: Operator, { leftMs, until, fault }: Deadline): Operator =>
  mergeMap((x) => {
    if (x.reply) return of(x)
    return new Observable<Exchange>((out) => {
      const left = leftMs(x)
      if (left <= 0) {
        out.error(fault())
        return
      }
      const timer = setTimeout(() => {
        // Letting go of a call because it takes too long says something about who was called.
        x.upstream.timedOut = true
        out.error(fault())
      }, left)
      out.add(() => {
        clearTimeout(timer)
      })
      out.add(
        inner(of(x)).subscribe({
          next(came) {
            if (until === 'reply' || came.reply?.tunnel) clearTimeout(timer)
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
