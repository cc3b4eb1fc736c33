import { mergeMap, of } from 'rxjs'
import type { Evaluate } from '../model/exchange/expression.ts'
import type { Exchange } from '../model/exchange/exchange.ts'
import { deny } from '../model/exchange/reply.ts'
import { onRequest, type Operator } from '../pipeline/stage.ts'
import { bodiesReadBy, withBufferedBodies } from './body/buffer-body.ts'
import type { Phases } from './phases.ts'

/** One of several policies of a kind. */
export interface ConditionalChoice extends Partial<Phases> {
  /** Absent: always applies. */
  readonly when?: Evaluate | undefined
}

/**
 * Applies the first of several policies whose condition holds, or none. A condition that fails does not hold.
 *
 * The choice is made once, for the request, and holds for the reply too. For exchanges that got a reply before this
 * stage, it is made for the reply.
 *
 * @param bufferLimitBytes Longest request body that conditions may read, in bytes; a longer one is refused with 413.
 * @param guards Whether a client could gain from skipping the policy. Then the reply is 400 `condition_unclear` where a
 *   condition fails in a way that only clients cause.
 */
export const conditional = (
  choices: readonly ConditionalChoice[],
  bufferLimitBytes: number,
  guards = false,
): Phases => {
  const conditions = choices.map(({ when }) => when)
  const bodies = { request: bodiesReadBy(conditions).request, reply: false }
  const chosen = new WeakMap<Exchange, ConditionalChoice>()
  const pick = (x: Exchange): ConditionalChoice => {
    const previous = chosen.get(x)
    if (previous) return previous
    const choice = find(x)
    chosen.set(x, choice)
    return choice
  }
  const find = (x: Exchange): ConditionalChoice => {
    for (const choice of choices) {
      const result = choice.when?.(x)
      if (!result || ('value' in result && result.value === true)) return choice
      if (guards && 'error' in result && result.isSuspect) return unclear
    }
    return none
  }
  const request = mergeMap((x: Exchange) => (x.reply ? of(x) : (pick(x).request ?? pass)(of(x))))
  const buffering = onRequest(
    'choose',
    withBufferedBodies(bodies, bufferLimitBytes, () => undefined),
  )
  return {
    request: bodies.request ? (source) => request(buffering(source)) : request,
    reply: mergeMap((x: Exchange) => (x.reply ? (pick(x).reply ?? pass)(of(x)) : of(x))),
  }
}

const none: ConditionalChoice = {}
const unclear: ConditionalChoice = {
  request: onRequest('choose', () =>
    deny(400, 'condition_unclear', { message: 'invalid request', reason: 'InvalidRequest' }),
  ),
}
const pass: Operator = (source) => source
