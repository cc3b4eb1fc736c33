import { mergeMap, of } from 'rxjs'
import type { Evaluate } from '../model/evaluate.ts'
import type { Exchange } from '../model/exchange.ts'
import { deny } from '../model/reply.ts'
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
 * @param guards Whether to be left out would be of use to a client. Then 400 `condition_unclear` is the answer where a
 *   condition fails as only clients bring it about.
 */
export const choose = (choices: readonly Choice[], bufferLimitBytes: number, guards = false): Phases => {
  const conditions = choices.map(({ when }) => when)
  const held = { request: bodiesReadBy(conditions).request, reply: false }
  const chosen = new WeakMap<Exchange, Choice>()
  const pick = (x: Exchange): Choice => {
    const known = chosen.get(x)
    if (known) return known
    const choice = find(x)
    chosen.set(x, choice)
    return choice
  }
  const find = (x: Exchange): Choice => {
    for (const choice of choices) {
      const result = choice.when?.(x)
      if (!result || ('value' in result && result.value === true)) return choice
      if (guards && 'error' in result && result.isSuspect) return unclear
    }
    return none
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
const unclear: Choice = {
  request: onRequest('choose', () =>
    deny(400, 'condition_unclear', { message: 'invalid request', reason: 'InvalidRequest' }),
  ),
}
const pass: Operator = (source) => source
