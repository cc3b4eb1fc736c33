import type { RegexRule } from '../../../../../src/operators/llm/guardrails/schema/normal-form.ts'
import type { Guard } from '../../../../../src/operators/llm/guardrails/guard.ts'
import { regexGuard } from '../../../../../src/operators/llm/guardrails/regex/regex-guard.ts'
import { exchange } from '../../../../../src/testing/exchange.ts'

export const rejection = { status: 403, body: 'no', headers: { add: [], set: [], remove: [] } }

/** A regex guard with these rules. */
export const guardOf = (rules: readonly RegexRule[], action: 'mask' | 'reject' = 'mask'): Guard =>
  regexGuard({ type: 'regex', action, rules }, rejection, new Set(['messages']))

/** The verdict of a guard on texts. */
export const verdictOf = (guard: Guard, ...texts: readonly string[]) =>
  guard.check(
    exchange(),
    texts.map((text) => ({ role: 'user', scope: 'messages', text })),
    { phase: 'request', kept: undefined, signal: new AbortController().signal },
  )

/** The masked form of one text. */
export const maskOf = (guard: Guard, text: string): string => {
  const verdict = verdictOf(guard, text)
  if (verdict === undefined) return text
  if (verdict instanceof Promise || verdict.action !== 'mask') throw new Error('expected a mask')
  return verdict.texts[0] as string
}

/** The masked form of the pieces of a text. */
export const inPieces = (guard: Guard, pieces: readonly string[]): string[] => {
  const follower = guard.follow?.()
  if (!follower) throw new Error('expected a follower')
  const released: string[] = []
  for (const now of [...pieces.map((piece) => follower.push(piece)), follower.end()]) {
    if (now === 'reject') throw new Error('expected a mask')
    released.push(...now)
  }
  return released
}
