import { Automaton } from '../../../../protocols/pattern/dfa.ts'
import { compilePattern } from '../../../../protocols/pattern/program.ts'
import { type Search, StreamSearch } from '../../../../protocols/pattern/stream-search.ts'
import type { RegexRule } from '../schema/normal-form.ts'
import { isCreditCard } from './credit-card.ts'
import { checkPhoneNumber, phoneLibrary } from './phone-number.ts'

/**
 * For patterns without a longest match: how many UTF-16 units of a stream are buffered for a possible match. A longer
 * candidate is masked like a match.
 */
const STREAM_LIMIT = 256
/** Complete texts need no early decision. This bounds the cost of adversarial texts. */
const WHOLE_GROWTH = 4_096
/** Longer than any e-mail address. */
const LONGEST_ADDRESS = 256

/** A compiled rule. */
export interface MaskPattern {
  readonly mask: string
  /** Searches complete texts. */
  readonly whole: Search
  /** Searches texts incrementally. */
  readonly stream: Search
}

/**
 * Compiles a rule.
 *
 * @throws Error with RE2's explanation if the pattern of a rule is not valid.
 */
export const compileRule = (rule: RegexRule): MaskPattern => {
  if ('pattern' in rule) return maskPattern('<masked>', rule.pattern)
  switch (rule.builtin) {
    case 'ssn':
      return maskPattern('<SSN>', SSN)
    case 'creditCard':
      return maskPattern('<CREDIT_CARD>', CREDIT_CARD, rule.luhn ? { confirm: isCreditCard } : {})
    case 'phoneNumber':
      phoneLibrary() // loads it now, so that no request pays for it
      return maskPattern('<PHONE_NUMBER>', PHONE_NUMBER, { confirm: checkPhoneNumber })
    case 'email':
      return maskPattern('<EMAIL_ADDRESS>', EMAIL, { slides: true })
    case 'caSin':
      return maskPattern('<CA_SIN>', CA_SIN)
  }
}

/** Replaces all matches with the mask. @returns The same string if there are none. */
export const maskText = ({ whole, mask }: MaskPattern, text: string): string => {
  const search = new StreamSearch(whole)
  const hits = search.push(text, true)
  if (hits.length === 0) return text
  let masked = ''
  let done = 0
  for (const { start, end, begins } of hits) {
    masked += text.slice(done, start) + (begins ? mask : '')
    done = end
  }
  return masked + text.slice(done)
}

/** Whether the text has a match. */
export const occurs = ({ whole }: MaskPattern, text: string): boolean =>
  new StreamSearch(whole).push(text, true).length > 0

const SSN = String.raw`\b(?:\d{5}-\d{4}|\d{3}-\d{6}|\d{9}|\d{3}[- .]\d{2}[- .]\d{4})\b`
const CREDIT_CARD = String.raw`\b(?:4\d{3}|5[0-5]\d{2}|[631]\d{3})[- ]?\d{3,4}[- ]?\d{3,4}[- ]?\d{3,5}\b`
const PHONE_NUMBER = String.raw`[+()]?\d[\d\s().-]{6,30}`
const EMAIL = String.raw`[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+\.[A-Za-z0-9.-]+`
const CA_SIN = String.raw`\b(?:\d{3}[- ]\d{3}[- ]\d{3}|\d{9})\b`

const maskPattern = (
  mask: string,
  pattern: string,
  { confirm, slides = false }: Partial<Pick<Search, 'confirm' | 'slides'>> = {},
): MaskPattern => {
  const automaton = new Automaton(compilePattern(pattern))
  const isBounded = automaton.program.longest < Infinity
  const pendingLimit = slides ? LONGEST_ADDRESS : Infinity
  const whole = { automaton, confirm, slides, pendingLimit, growth: isBounded ? Infinity : WHOLE_GROWTH }
  const stream = isBounded ? whole : { ...whole, pendingLimit: STREAM_LIMIT, growth: STREAM_LIMIT }
  return { mask, whole, stream }
}
