import { Subscriber } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'
import { perExchangeWith, Run, type ActiveExchanges } from './per-exchange.ts'
import type { Operator } from './stage.ts'

/** Something that a stage has begun for an exchange, and that goes on after the stage has passed it on. */
export interface PendingWork {
  readonly isOver: boolean
  /** Says who is told how it ends; called at most once. */
  follow(events: PendingWorkEvents): void
  /** The exchange is over, or nobody wants it any more: lets go of everything. */
  release(): void
}

/** How such a thing ends. */
export interface PendingWorkEvents {
  over(): void
  /** What the client has got so far must not look like the whole. */
  broke(fault: unknown): void
}

/**
 * Runs a stage, and keeps its stream open until what belongs to the exchange is over too: the last byte may come from
 * somebody other than the upstream. What breaks after the exchange was passed on is an error of the stream.
 *
 * @param find What belongs to an exchange that reaches the stage; undefined if nothing does.
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

  /** It stays subscribed: what it began is let go of with the whole stream, for the upstream may still be answering. */
  #done(): void {
    if (this.closed || this.#isDone) return
    this.#isDone = true
    this.#runs.done()
  }
}
