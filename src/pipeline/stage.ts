import { Observable, type OperatorFunction, Subscriber } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'
import { activityOf } from '../model/introspection/exchange-activity.ts'
import type { Reply } from '../model/exchange/reply.ts'

/**
 * Every stage, route and backend. `next`: replied, or passed on; `complete`: last byte sent; `error`: a fault;
 * unsubscribe: the client left.
 */
export type Operator = OperatorFunction<Exchange, Exchange>

/** Undefined lets the exchange pass; a reply ends its way to the backend. */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- a stage without a verdict ends without `return`
export type Verdict = Reply | undefined | void

/** Decides about one exchange, synchronously or not. Throws only when something broke. */
export type Decide = (x: Exchange) => Verdict | PromiseLike<Verdict>

/**
 * A stage for requests without a reply.
 *
 * @param name The name in the trace.
 * @param decide Returns undefined to let the exchange pass, or a reply. Synchronous if the verdict is known: a
 *   promise costs a turn of the event loop.
 * @example
 * const noDelete = onRequest('no-delete', (x) => (x.request.method === 'DELETE' ? deny(403, 'no_delete') : undefined))
 */
export const onRequest = (name: string, decide: Decide): Operator => stage(name, false, decide)

/**
 * A stage for replies of any origin. It may change or replace them.
 *
 * @example
 * const stamp = onReply('stamp', (x) => x.reply?.headers.set('x-served-by', 'mine'))
 */
export const onReply = (name: string, decide: Decide): Operator => stage(name, true, decide)

const stage =
  (name: string, onReplies: boolean, decide: Decide): Operator =>
  (source) =>
    // No teardown is returned: the stage belongs to `out` from its construction, and adding it again takes time.
    new Observable((out) => {
      source.subscribe(new Stage(out, name, onReplies, decide))
    })

/**
 * One running stage. It decides on the caller's stack while verdicts are synchronous; a promise delays only its own
 * exchange.
 *
 * A subscriber of its own, not an observer: rxjs wraps each callback of an observer, which is half of the cost of a
 * stage.
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
    // Unsubscribes last, as rxjs does: after completion there is no list of teardowns to remove it from.
    this.unsubscribe()
  }

  #pass(x: Exchange, verdict: Verdict, began: number | undefined): void {
    if (verdict) x.reply = verdict
    if (began !== undefined) x.probe?.recordStage(this.#name, began, verdict ?? undefined)
    this.#out.next(x)
  }

  async #park(x: Exchange, pending: PromiseLike<Verdict>, began: number | undefined): Promise<void> {
    this.#parked++
    const activity = activityOf(x)
    const outer = activity.stage
    activity.stage = { name: this.#name, startedAt: performance.now() }
    let verdict: Verdict
    try {
      verdict = await pending
    } finally {
      activity.stage = outer
    }
    this.#parked--
    if (this.#out.closed) return // the client left in the meantime
    this.#pass(x, verdict, began)
    if (this.#drained && this.#parked === 0) this.#out.complete()
  }
}
