import { Subscriber } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'
import { perExchangeWith, Run, type ActiveExchanges } from './per-exchange.ts'
import type { Operator } from './stage.ts'

/** Work that a stage began for an exchange and that continues after the stage passed it on. */
export interface PendingWork {
  readonly isOver: boolean
  /** Sets the listener of its end; called at most once. */
  follow(events: PendingWorkEvents): void
  /** The exchange is over or cancelled: releases everything. */
  release(): void
}

/** Receives the end of pending work. */
export interface PendingWorkEvents {
  over(): void
  /** What the client has received must not look complete. */
  broke(fault: unknown): void
}

/**
 * Runs a stage, and keeps its stream open until the pending work of the exchange is over too: the last byte may come
 * from a source other than the upstream. A failure after the exchange was passed on is an error of the stream.
 *
 * @param find Returns the pending work of an exchange that reaches the stage; undefined if there is none.
 */
export const keepOpen = (stage: Operator, find: (x: Exchange) => PendingWork | undefined): Operator =>
  perExchangeWith(
    () => stage,
    (x, out, runs) => {
      const work = find(x)
      return work ? new Outlasting(out, runs, work) : new Run(out, runs)
    },
  )

class Outlasting extends Subscriber<Exchange> implements PendingWorkEvents {
  readonly #out: Subscriber<Exchange>
  readonly #runs: ActiveExchanges
  readonly #work: PendingWork
  #passedOn = false
  #isDone = false

  constructor(out: Subscriber<Exchange>, runs: ActiveExchanges, work: PendingWork) {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- for operator makers
    super(out)
    this.#out = out
    this.#runs = runs
    this.#work = work
    this.add(() => {
      work.release()
    })
    work.follow(this)
  }

  over(): void {
    if (this.#passedOn) this.#done()
  }

  broke(fault: unknown): void {
    if (!this.closed) this.#out.error(fault)
  }

  protected override _complete(): void {
    this.#passedOn = true
    if (this.#work.isOver) this.#done()
  }

  /** It stays subscribed: the stage is released with the whole stream, because the upstream may still be responding. */
  #done(): void {
    if (this.closed || this.#isDone) return
    this.#isDone = true
    this.#runs.done()
  }
}
