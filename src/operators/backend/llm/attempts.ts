import { Observable, type Subscriber } from 'rxjs'
import type { Exchange } from '../../../model/exchange.ts'
import { type AttemptOptions, OneAfterAnother } from './one-after-another.ts'

/**
 * Asks one option after another until one answers: each at most once, and only while nothing of an answer has been passed
 * on. A client never sees the failure of an option that had a successor. What ends them (`begin`) holds no request.
 */
export const attempts = (x: Exchange, options: AttemptOptions): Observable<Exchange> =>
  new Observable((out) => begin(x, options, out))

const begin = (x: Exchange, options: AttemptOptions, out: Subscriber<Exchange>): (() => void) => {
  const run = new OneAfterAnother(x, options, out)
  run.next()
  return run.stop.bind(run)
}
