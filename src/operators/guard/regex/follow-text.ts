import type { GuardRejection, RegexGuard } from '../../../model/llm-guards.ts'
import type { TextFollower } from '../guard.ts'
import { ShapeFollower } from './follow-shape.ts'
import { maskText, occurs } from './mask-text.ts'
import type { Shape } from './shape.ts'

/** Follows a text that comes in pieces, for all rules of a guard: each works on what the one before it left. */
export const followText = (
  shapes: readonly Shape[],
  action: RegexGuard['action'],
  rejection: GuardRejection,
): TextFollower => {
  const followers = shapes.map((shape) => new ShapeFollower(shape))
  const rejects = action === 'reject'
  const only = followers.length === 1 ? followers[0] : undefined

  const through = (pieces: readonly string[], isLast: boolean): readonly string[] | 'reject' => {
    let left = pieces
    for (const follower of followers) {
      left = left.length === 1 && !isLast ? follower.push(left[0] as string) : follower.pushAll(left, isLast)
      if (rejects && follower.hasFound) return 'reject'
      if (left.length === 0 && !isLast) break
    }
    return left
  }
  const push = (piece: string) => {
    if (!only) return through([piece], false)
    const released = only.push(piece)
    return rejects && only.hasFound ? 'reject' : released
  }
  const whole = (text: string): readonly [string] | 'reject' => {
    if (rejects) return shapes.some((shape) => occurs(shape, text)) ? 'reject' : [text]
    return [shapes.reduce((left, shape) => maskText(shape, left), text)]
  }
  return { push, end: () => through([], true), whole, rejection }
}
