import { Observable, type OperatorFunction, Subscriber } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'
import type { Reply } from '../model/exchange/reply.ts'

/**
 * Every stage, route and backend. `next`: answered, or passed on; `complete`: last byte out; `error`: a fault;
 * unsubscribe: the client left.
 */
export type Operator = OperatorFunction<Exchange, Exchange>

/** Nothing lets the exchange pass; a reply answers it. */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- a stage without a verdict ends without `return`
export type Verdict = Reply | undefined | void

/** Decides about one exchange, now or later. Throws only when something broke. */
export type Decide = (x: Exchange) => Verdict | PromiseLike<Verdict>

/**
 * A stage for requests nobody has answered yet.
 *
 * @param name How the trace calls it.
 * @param decide Return nothing to let the exchange pass, a reply to answer it. Synchronous if the answer is at hand: a
 *   promise costs a turn of the event loop.
 * @example
 * const noDelete = onRequest('no-delete', (x) => (x.request.method === 'DELETE' ? deny(403, 'no_delete') : undefined))
 */
export const onRequest = (name: string, decide: Decide): Operator => stage(name, false, decide)

/**
 * A stage for answers, whoever gave them. It may change or replace them.
 *
 * @example
 * const stamp = onReply('stamp', (x) => x.reply?.headers.set('x-served-by', 'mine'))
 */
export const onReply = (name: string, decide: Decide): Operator => stage(name, true, decide)

const stage =
  (name: string, onReplies: boolean, decide: Decide): Operator =>
  (source) =>
    // Nothing is returned: what is subscribed belongs to `out` from its making on, and adding it again takes time.
    new Observable((out) => {
      source.subscribe(new Stage(out, name, onReplies, decide))
    })

/**
 * One stage at work. It stays in the caller's turn while verdicts are synchronous; a promise parks only its own exchange.
 *
 * A subscriber of its own, not an observer: rxjs wraps each callback of an observer, which is half of what a stage costs.
 */
class Stage extends Subscriber<Exchange> {
  readonly #out: Subscriber<Exchange>
  readonly #name: string
  readonly #onReplies: boolean
  readonly #decide: Decide
  #parked = 0
  #drained = false

  constructor(out: Subscriber<Exchange>, name: string, onReplies: boolean, decide: Decide) {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- for operator makers
    super(out)
    this.#out = out
    this.#name = name
    this.#onReplies = onReplies
    this.#decide = decide
  }

  protected override _next(x: Exchange): void {
    if ((x.reply !== undefined) !== this.#onReplies) {
      this.#out.next(x)
      return
    }
    const began = x.probe?.now()
    try {
      const verdict = this.#decide(x)
      if (verdict && 'then' in verdict)
        this.#park(x, verdict, began).catch((fault: unknown) => {
          this.#out.error(fault)
        })
      else this.#pass(x, verdict, began)
    } catch (fault) {
      this.#out.error(fault)
    }
  }

  protected override _complete(): void {
    this.#drained = true
    if (this.#parked === 0) this.#out.complete()
    // Afterwards, as rxjs does: whoever is complete has no list left to be taken off.
    this.unsubscribe()
  }

  #pass(x: Exchange, verdict: Verdict, began: number | undefined): void {
    if (verdict) x.reply = verdict
    if (began !== undefined) x.probe?.recordStage(this.#name, began, verdict ?? undefined)
    this.#out.next(x)
  }

  async #park(x: Exchange, pending: PromiseLike<Verdict>, began: number | undefined): Promise<void> {
    this.#parked++
    const verdict = await pending
    this.#parked--
    if (this.#out.closed) return // the client went away while we waited
    this.#pass(x, verdict, began)
    if (this.#drained && this.#parked === 0) this.#out.complete()
  }
}
