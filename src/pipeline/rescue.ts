import type { Subscriber } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'
import type { Reply } from '../model/exchange/reply.ts'
import { perExchangeWith, Run, type ActiveExchanges } from './per-exchange.ts'
import type { Operator } from './stage.ts'

/**
 * Runs `inner` for each exchange and turns its faults into replies that later stages can see.
 *
 * Once the exchange has been passed on, a fault passes through as an error: later stages have the reply that it spoils,
 * or the head is sent and only the sink can act, by cutting the connection. So an exchange comes out once in any case.
 *
 * `toReply` may rethrow faults that it does not handle; rescues nest, and the inner one is more specific.
 */
export const rescue = (inner: Operator, toReply: (fault: unknown, x: Exchange) => Reply): Operator =>
  perExchangeWith(
    () => inner,
    (x, out, runs) => new RescuedRun(x, out, runs, toReply),
  )

class RescuedRun extends Run {
  readonly #x: Exchange
  readonly #out: Subscriber<Exchange>
  readonly #toReply: (fault: unknown, x: Exchange) => Reply
  #passedOn = false

  constructor(
    x: Exchange,
    out: Subscriber<Exchange>,
    runs: ActiveExchanges,
    toReply: (fault: unknown, x: Exchange) => Reply,
  ) {
    super(out, runs)
    this.#x = x
    this.#out = out
    this.#toReply = toReply
  }

  protected override _next(came: Exchange): void {
    this.#passedOn = true
    this.#out.next(came)
  }

  protected override _error(fault: unknown): void {
    const x = this.#x
    if (this.#passedOn || x.downstream.committed) {
      this.#out.error(fault)
      return
    }
    try {
      x.reply = this.#toReply(fault, x)
    } catch (unknownFault) {
      this.#out.error(unknownFault)
      return
    }
    this.#out.next(x)
    this._complete()
  }
}
