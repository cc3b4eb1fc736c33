import { type Observable, Subject } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'

/**
 * Ended exchanges, complete or cut: the source of logs, metrics and the trace.
 *
 * Subscribers run one after another on the stack of the connection, for every request: they should count and enqueue,
 * not block. An exception of one goes to rxjs's `config.onUnhandledError`, and the others still run.
 *
 * @example
 * const ends = new ExchangeEnds()
 * ends.ends$.subscribe((x) => metrics.ended(x))
 * openPorts({ ended: ends.ended })
 */
export class ExchangeEnds {
  readonly #ends = new Subject<Exchange>()
  readonly ends$: Observable<Exchange> = this.#ends.asObservable()

  /** To be called once for every exchange. Bound, so that it can be passed as a callback. */
  readonly ended = (x: Exchange): void => {
    this.#ends.next(x)
  }
}
