import { mergeMap, of } from 'rxjs'
import { deny } from '../../model/reply.ts'
import type { Operator } from '../../pipeline/stage.ts'

/** One backend of a route, and its share. */
export interface WeightedChoice {
  /** Not negative; 0 is never picked. */
  readonly weight: number
  readonly pipeline: Operator
}

/**
 * Continues with one of several backends, each as often as its weight says; answers 500 `no_valid_backends` if there is
 * none to pick.
 *
 * Inside `retry` every attempt picks anew.
 *
 * @param random Gives 0 ≤ number < 1.
 */
export const pickByWeight = (choices: readonly WeightedChoice[], random: () => number): Operator => {
  const possible = choices.filter(({ weight }) => weight > 0)
  const [first, ...others] = possible
  if (!first)
    return mergeMap((x) => {
      x.reply ??= deny(500, 'no_valid_backends', { message: 'no valid backends', reason: 'NoHealthyBackend' })
      return of(x)
    })
  // One backend is no choice: its stages follow without a layer between.
  if (others.length === 0) return first.pipeline
  const total = possible.reduce((sum, { weight }) => sum + weight, 0)
  return mergeMap((x) => {
    if (x.reply) return of(x)
    let left = random() * total
    const choice = possible.find(({ weight }) => (left -= weight) < 0) ?? first
    return choice.pipeline(of(x))
  })
}
