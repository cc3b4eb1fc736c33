import type { Exchange } from '../../model/exchange/exchange.ts'
import { keepOpen } from '../../pipeline/keep-open.ts'
import { perExchangeWith, Run } from '../../pipeline/per-exchange.ts'
import { rescue } from '../../pipeline/rescue.ts'
import { sequence } from '../../pipeline/sequence.ts'
import { onReply, onRequest, type Operator } from '../../pipeline/stage.ts'
import { EndpointPick, type EndpointPickOptions } from './endpoint-pick.ts'

/**
 * Has an endpoint picker choose the endpoint that `inner` calls: it is shown the request, by the protocol of external
 * processing, and names endpoints in a header or in metadata. The response flows through it as well, with the endpoint
 * that it came from.
 *
 * A picker that fails is a refusal with 503, as is a choice that cannot be read; `failsOpen` leaves the choice to the
 * upstream if there is none. Each attempt has a stream of its own: a retry may go to another endpoint.
 *
 * Goes around the call and the stages that prepare it.
 */
export const inferenceRouting = (options: EndpointPickOptions, inner: Operator): Operator => {
  const picks = new WeakMap<Exchange, EndpointPick>()
  const request = onRequest('inference-routing', (x) => {
    const pick = new EndpointPick(x, options)
    picks.set(x, pick)
    return pick.choose()
  })
  const reply = keepOpen(
    onReply('inference-routing-reply', (x) => picks.get(x)?.serve()),
    (x) => picks.get(x)?.stream,
  )
  const called = rescue(sequence([request, inner]), (fault, x) => {
    const pick = picks.get(x)
    if (!pick) throw fault
    return pick.replyTo(fault)
  })
  const attempt = sequence([called, reply])
  return perExchangeWith(
    (x) => (x.reply ? undefined : attempt),
    (x, out, runs) => {
      const run = new Run(out, runs)
      run.add(() => {
        picks.get(x)?.stream.release()
        picks.delete(x)
      })
      return run
    },
  )
}
