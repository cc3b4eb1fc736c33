import type { Subscriber } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'
import type { Reply } from '../model/exchange/reply.ts'
import { perExchangeWith, Run, type ActiveExchanges } from './per-exchange.ts'
import type { Operator } from './stage.ts'

/**
 * Runs `inner` for each exchange and turns its faults into replies that later stages can see.
 *
 * Once the exchange has been passed on, a fault goes on too: later stages hold the reply it spoils, or the head is on
 * the wire already and only the sink can act, by cutting the connection. So an exchange comes out once, whatever happens.
 *
 * `toReply` may rethrow what it does not understand; rescues nest, and an inner one knows more.
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
