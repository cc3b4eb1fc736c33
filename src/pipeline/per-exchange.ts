import { Observable, Subscriber } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'
import { ofExchange } from './of-exchange.ts'
import type { Operator } from './stage.ts'

/** Returns the operator in which an exchange continues; undefined lets it pass. */
export type Choose = (x: Exchange) => Operator | undefined

/** Starts one exchange. Its subscriber passes everything to `out`, and calls `runs.done` at its end. */
export type Begin = (x: Exchange, out: Subscriber<Exchange>, runs: ActiveExchanges) => Subscriber<Exchange>

const choosing: unique symbol = Symbol('choosing')

/** An operator that only chooses another one. */
interface Chooser extends Operator {
  readonly [choosing]: Choose
}

/**
 * Continues each exchange in an operator of its own, without waiting for the previous one: what `mergeMap` does,
 * without its queue, its index and its closures, at 0.3 µs instead of 0.8.
 *
 * A chooser chosen by another one costs nothing: its choice is made in its place. A request passes three, from the
 * rescue of its listener to its backend.
 *
 * @param choose An exception is an error of the stream.
 */
export const perExchange = (choose: Choose): Operator =>
  Object.assign(
    perExchangeWith(choose, (_, out, runs) => new Run(out, runs)),
    { [choosing]: choose },
  ) satisfies Chooser

/** As {@link perExchange}, with a subscriber that may do more than pass on. */
export const perExchangeWith =
  (choose: Choose, begin: Begin): Operator =>
  (source) =>
    new Observable((out) => {
      source.subscribe(new ActiveExchanges(out, choose, begin))
    })

/** The active exchanges of one stream. */
export class ActiveExchanges extends Subscriber<Exchange> {
  readonly #out: Subscriber<Exchange>
  readonly #choose: Choose
  readonly #begin: Begin
  #running = 0
  #drained = false

  constructor(out: Subscriber<Exchange>, choose: Choose, begin: Begin) {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- for operator makers; an observer costs a wrapper more
    super(out)
    this.#out = out
    this.#choose = choose
    this.#begin = begin
  }

  /** One exchange is complete. */
  done(): void {
    this.#running--
    if (this.#drained && this.#running === 0) this.#out.complete()
  }

  protected override _next(x: Exchange): void {
    let operator: Operator | undefined
    try {
      operator = chosen(this.#choose, x)
    } catch (bug) {
      this.#run(x).error(bug)
      return
    }
    if (!operator) {
      this.#out.next(x)
      return
    }
    const run = this.#run(x)
    try {
      operator(ofExchange(x)).subscribe(run)
    } catch (bug) {
      run.error(bug)
    }
  }

  protected override _complete(): void {
    this.#drained = true
    if (this.#running === 0) this.#out.complete()
    // Unsubscribes last, here and below, as a stage does: after completion there is no list of teardowns to remove it
    // from.
    this.unsubscribe()
  }

  #run(x: Exchange): Subscriber<Exchange> {
    this.#running++
    return this.#begin(x, this.#out, this)
  }
}

const chosen = (choose: Choose, x: Exchange): Operator | undefined => {
  let operator = choose(x)
  while (operator && choosing in operator) operator = (operator as Chooser)[choosing](x)
  return operator
}

/** Passes on the events of one exchange. */
export class Run extends Subscriber<Exchange> {
  readonly #runs: ActiveExchanges

  constructor(out: Subscriber<Exchange>, runs: ActiveExchanges) {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- as above
    super(out)
    this.#runs = runs
  }

  protected override _complete(): void {
    this.#runs.done()
    this.unsubscribe()
  }
}
