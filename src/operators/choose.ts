import { mergeMap, of } from 'rxjs'
import { type Evaluate, holds } from '../model/evaluate.ts'
import type { Exchange } from '../model/exchange.ts'
import { onRequest, type Operator } from '../pipeline/stage.ts'
import { bodiesReadBy, holding } from './body/hold.ts'
import type { Phases } from './phases.ts'

/** One of several policies of a kind. */
export interface Choice extends Partial<Phases> {
  /** Always, without it. */
  readonly when?: Evaluate | undefined
}

/**
 * Applies the first of several policies whose condition holds, or none. A condition that fails does not hold.
 *
 * The choice is made once, when the request comes by, and holds for the reply too. For exchanges that were answered
 * before, it is made when their reply comes by.
 *
 * @param bufferLimitBytes How much of a request body conditions may read; a longer one is refused with 413.
 */
export const choose = (choices: readonly Choice[], bufferLimitBytes: number): Phases => {
  const conditions = choices.map(({ when }) => when)
  const held = { request: bodiesReadBy(conditions).request, reply: false }
  const chosen = new WeakMap<Exchange, Choice>()
  const pick = (x: Exchange): Choice => {
    const known = chosen.get(x)
    if (known) return known
    const choice = choices.find(({ when }) => !when || holds(when, x)) ?? none
    chosen.set(x, choice)
    return choice
  }
  const request = mergeMap((x: Exchange) => (x.reply ? of(x) : (pick(x).request ?? pass)(of(x))))
  const hold = onRequest(
    'choose',
    holding(held, bufferLimitBytes, () => undefined),
  )
  return {
    request: held.request ? (source) => request(hold(source)) : request,
    reply: mergeMap((x: Exchange) => (x.reply ? (pick(x).reply ?? pass)(of(x)) : of(x))),
  }
}

const none: Choice = {}
const pass: Operator = (source) => source
