import { Observable, type OperatorFunction } from 'rxjs'
import type { Exchange } from '../model/exchange.ts'
import type { Reply } from '../model/reply.ts'

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
export const onRequest = (name: string, decide: Decide): Operator => stage(name, (x) => !x.reply, decide)

/**
 * A stage for answers, whoever gave them. It may change or replace them.
 *
 * @example
 * const stamp = onReply('stamp', (x) => x.reply?.headers.set('x-served-by', 'mine'))
 */
export const onReply = (name: string, decide: Decide): Operator => stage(name, (x) => !!x.reply, decide)

/** Stays in the caller's turn while verdicts are synchronous; a promise parks only its own exchange. */
const stage =
  (name: string, applies: (x: Exchange) => boolean, decide: Decide): Operator =>
  (source) =>
    new Observable((out) => {
      let parked = 0
      let drained = false

      const pass = (x: Exchange, verdict: Verdict, began: number | undefined) => {
        if (verdict) x.reply = verdict
        if (began !== undefined) x.probe?.record(name, began, verdict ?? undefined)
        out.next(x)
      }
      const park = async (x: Exchange, pending: PromiseLike<Verdict>, began: number | undefined) => {
        parked++
        const verdict = await pending
        parked--
        if (out.closed) return // the client went away while we waited
        pass(x, verdict, began)
        if (drained && parked === 0) out.complete()
      }
      return source.subscribe({
        next(x) {
          if (!applies(x)) {
            out.next(x)
            return
          }
          const began = x.probe?.now()
          try {
            const verdict = decide(x)
            if (verdict && 'then' in verdict)
              park(x, verdict, began).catch((fault: unknown) => {
                out.error(fault)
              })
            else pass(x, verdict, began)
          } catch (fault) {
            out.error(fault)
          }
        },
        error: (fault) => {
          out.error(fault)
        },
        complete() {
          drained = true
          if (parked === 0) out.complete()
        },
      })
    })
