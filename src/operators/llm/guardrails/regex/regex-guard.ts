import type { GuardRejection, RegexGuard, TextScope } from '../../../model/llm-guards.ts'
import type { Guard, GuardedText, GuardVerdict } from '../guard.ts'
import { everyScope, rejectWith } from '../reject-with.ts'
import { followText } from './follow-text.ts'
import { maskText, occurs } from './mask-text.ts'
import { type Shape, shapeOf } from './shape.ts'

/**
 * Finds texts by their shape, and masks them or rejects what holds them.
 *
 * Asks nobody and always has a verdict. Each rule works on what the one before it left.
 *
 * @throws Error with RE2's explanation if the pattern of a rule is not valid.
 * @example
 * const guard = regexGuard({ type: 'regex', action: 'mask', rules: [{ builtin: 'email' }] })
 * guard.check(x, [{ role: 'user', scope: 'messages', text: 'ask bob@example.com' }], about)
 * // { action: 'mask', texts: ['ask <EMAIL_ADDRESS>'] }
 */
export const regexGuard = (
  { action, rules }: RegexGuard,
  rejection: GuardRejection = rejectWith(),
  scopes: ReadonlySet<TextScope> = everyScope,
): Guard => {
  const shapes = rules.map(shapeOf)
  return {
    name: 'regex',
    scopes,
    opensOnFailure: false,
    check: (_, texts) => (action === 'mask' ? masked(shapes, texts) : rejected(shapes, texts, rejection)),
    follow: () => followText(shapes, action, rejection),
  }
}

const masked = (shapes: readonly Shape[], texts: readonly GuardedText[]): GuardVerdict => {
  const after = texts.map(({ text }) => shapes.reduce((left, shape) => maskText(shape, left), text))
  return after.some((text, i) => text !== texts[i]?.text) ? { action: 'mask', texts: after } : undefined
}

const rejected = (
  shapes: readonly Shape[],
  texts: readonly GuardedText[],
  rejection: GuardRejection,
): GuardVerdict =>
  texts.some(({ text }) => shapes.some((shape) => occurs(shape, text)))
    ? { action: 'reject', rejection }
    : undefined
