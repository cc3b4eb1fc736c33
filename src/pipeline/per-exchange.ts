import { Observable, Subscriber } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'
import { ofExchange } from './of-exchange.ts'
import type { Operator } from './stage.ts'

/** Finds the operator that an exchange goes on with; undefined lets it pass. */
export type Choose = (x: Exchange) => Operator | undefined

/** How one exchange goes on. Its subscriber passes everything to `out`, and tells `runs` when it is done. */
export type Begin = (x: Exchange, out: Subscriber<Exchange>, runs: ActiveExchanges) => Subscriber<Exchange>

const choosing: unique symbol = Symbol('choosing')

/** An operator that does nothing but choose another one. */
interface Chooser extends Operator {
  readonly [choosing]: Choose
}

/**
 * Continues each exchange in an operator of its own, without waiting for the one before: what `mergeMap` does, without
 * its queue, its index and its closures, at 0.3 µs instead of 0.8.
 *
 * One that is chosen by another one costs nothing: what it would choose is chosen in its place. A request passes three, from
 * the rescue of its listener to its backend.
 *
 * @param choose What it throws is an error of the stream.
 */
export const perExchange = (choose: Choose): Operator =>
  Object.assign(
    perExchangeWith(choose, (_, out, runs) => new Run(out, runs)),
    { [choosing]: choose },
  ) satisfies Chooser

/** As `each`, with a subscriber that may do more than pass on. */
export const perExchangeWith =
  (choose: Choose, begin: Begin): Operator =>
  (source) =>
    new Observable((out) => {
      source.subscribe(new ActiveExchanges(out, choose, begin))
    })

/** The exchanges under way in one stream. */
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

  /** One of them has come to its end. */
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
    // Afterwards, here and below, as a stage does: whoever is complete has no list left to be taken off.
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

/** Passes on what becomes of one exchange. */
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
