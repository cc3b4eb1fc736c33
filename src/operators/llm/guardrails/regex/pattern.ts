import { Automaton } from '../../../protocols/pattern/automaton.ts'
import { compilePattern } from '../../../protocols/pattern/program.ts'
import type { Search } from '../../../protocols/pattern/search.ts'
import type { RegexRule } from '../../../model/llm-guards.ts'
import { judgeCard } from './judge-card.ts'
import { judgePhone } from './judge-phone.ts'
import { phoneLibrary } from './phone-library.ts'

/**
 * Where a pattern has no longest match, so many UTF-16 units of a stream are held for a match that may become one. What
 * goes on for longer is masked as if it were.
 */
const STREAM_PATIENCE = 256
/** In whole texts nothing has to be let go. This only bounds what a text can cost that was made to be costly. */
const WHOLE_GROWTH = 4_096
/** Longer than any address can be. */
const LONGEST_ADDRESS = 256

/** A rule, ready to be searched for. */
export interface Shape {
  readonly mask: string
  /** In texts that are there as a whole. */
  readonly whole: Search
  /** In texts that come piece by piece. */
  readonly stream: Search
}

/** @throws Error with RE2's explanation if the pattern of a rule is not valid. */
export const shapeOf = (rule: RegexRule): Shape => {
  if ('pattern' in rule) return shape('<masked>', rule.pattern)
  switch (rule.builtin) {
    case 'ssn':
      return shape('<SSN>', SSN)
    case 'creditCard':
      return shape('<CREDIT_CARD>', CREDIT_CARD, rule.luhn ? { judge: judgeCard } : {})
    case 'phoneNumber':
      phoneLibrary() // now, so that no request has to wait for it
      return shape('<PHONE_NUMBER>', PHONE_NUMBER, { judge: judgePhone })
    case 'email':
      return shape('<EMAIL_ADDRESS>', EMAIL, { slides: true })
    case 'caSin':
      return shape('<CA_SIN>', CA_SIN)
  }
}

const SSN = String.raw`\b(?:\d{5}-\d{4}|\d{3}-\d{6}|\d{9}|\d{3}[- .]\d{2}[- .]\d{4})\b`
const CREDIT_CARD = String.raw`\b(?:4\d{3}|5[0-5]\d{2}|[631]\d{3})[- ]?\d{3,4}[- ]?\d{3,4}[- ]?\d{3,5}\b`
const PHONE_NUMBER = String.raw`[+()]?\d[\d\s().-]{6,30}`
const EMAIL = String.raw`[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+\.[A-Za-z0-9.-]+`
const CA_SIN = String.raw`\b(?:\d{3}[- ]\d{3}[- ]\d{3}|\d{9})\b`

const shape = (
  mask: string,
  pattern: string,
  { judge, slides = false }: Partial<Pick<Search, 'judge' | 'slides'>> = {},
): Shape => {
  const automaton = new Automaton(compilePattern(pattern))
  const isBounded = automaton.program.longest < Infinity
  const patience = slides ? LONGEST_ADDRESS : Infinity
  const whole = { automaton, judge, slides, patience, growth: isBounded ? Infinity : WHOLE_GROWTH }
  const stream = isBounded ? whole : { ...whole, patience: STREAM_PATIENCE, growth: STREAM_PATIENCE }
  return { mask, whole, stream }
}
