import { type Observable, Subject } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'

/**
 * Exchanges that have ended, last byte or cut: what logs, metrics and the trace listen to.
 *
 * Listeners run one after another on the stack of the connection, for every request: they count and enqueue, and do not
 * wait. What one of them throws goes to rxjs's `config.onUnhandledError`, and the others are told all the same.
 *
 * @example
 * const ends = new ExchangeEnds()
 * ends.ends$.subscribe((x) => metrics.ended(x))
 * openPorts({ ended: ends.ended })
 */
export class ExchangeEnds {
  readonly #ends = new Subject<Exchange>()
  readonly ends$: Observable<Exchange> = this.#ends.asObservable()

  /** To be called once for every exchange. Bound, to be handed on as it is. */
  readonly ended = (x: Exchange): void => {
    this.#ends.next(x)
  }
}
