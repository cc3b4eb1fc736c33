import type { GuardRejection, RegexGuard, TextScope } from '../schema/normal-form.ts'
import type { Guard, GuardedText, GuardVerdict } from '../guard.ts'
import { everyScope, rejectWith } from '../rejection.ts'
import { followText } from './streaming-mask.ts'
import { type MaskPattern, compileRule, maskText, occurs } from './pattern.ts'

/**
 * Finds texts by patterns, and masks the matches or rejects texts that have one.
 *
 * Needs no callout, and always has a verdict. Each rule gets the result of the one before it.
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
  const patterns = rules.map(compileRule)
  return {
    name: 'regex',
    scopes,
    opensOnFailure: false,
    check: (_, texts) => (action === 'mask' ? masked(patterns, texts) : rejected(patterns, texts, rejection)),
    follow: () => followText(patterns, action, rejection),
  }
}

const masked = (patterns: readonly MaskPattern[], texts: readonly GuardedText[]): GuardVerdict => {
  const after = texts.map(({ text }) => patterns.reduce((left, pattern) => maskText(pattern, left), text))
  return after.some((text, i) => text !== texts[i]?.text) ? { action: 'mask', texts: after } : undefined
}

const rejected = (
  patterns: readonly MaskPattern[],
  texts: readonly GuardedText[],
  rejection: GuardRejection,
): GuardVerdict =>
  texts.some(({ text }) => patterns.some((pattern) => occurs(pattern, text)))
    ? { action: 'reject', rejection }
    : undefined
