import { isPhoneNumber } from './is-phone-number.ts'

/** So often the end of a candidate may turn out not to be of the number. */
const MOST_SHORTER = 3
/** Fewer would make numbers of what begins a longer one, such as that of a card. */
const FEWEST_DIGITS_SHORTER = 10
/** Days would be numbers of Germany otherwise. */
const DAY = /(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:[0-2]\d|3[01])(?!\d)/y

const [ZERO, NINE] = [48, 57]

/**
 * Lets a candidate pass for a phone number if it is one as far as its last digit, or without its last words: with
 * `+1 415 555 2671 3 times` the pattern takes one digit too many. Where it is none, another may begin with the next digits.
 */
export const judgePhone = (text: string, start: number, end: number, before: number): number => {
  DAY.lastIndex = start
  if (DAY.test(text)) return start - DAY.lastIndex
  const first = digitsEnd(text, start, end)
  if (before >= ZERO && before <= NINE) return start - first
  // The pattern may have stopped in the middle of digits.
  let to = isDigit(text, end) && isDigit(text, end - 1) ? wordBegin(text, start, end) : end
  const last = lastDigit(text, start, to)
  for (let shorter = 0; shorter <= MOST_SHORTER; shorter++) {
    to = lastDigit(text, start, to)
    if (to <= start) break
    const candidate = text.slice(start, to)
    if (to < last && candidate.replace(/\D/g, '').length < FEWEST_DIGITS_SHORTER) break
    if (isPhoneNumber(candidate)) return to
    to = wordBegin(text, start, to)
  }
  return start - first
}

const digitsEnd = (text: string, start: number, end: number): number => {
  let at = start
  while (at < end && !isDigit(text, at)) at++
  while (at < end && isDigit(text, at)) at++
  return at
}

/** Behind the last digit. */
const lastDigit = (text: string, start: number, end: number): number => {
  let at = end
  while (at > start && !isDigit(text, at - 1)) at--
  return at
}

const wordBegin = (text: string, start: number, end: number): number => {
  let at = end
  while (at > start && !/\s/.test(text.charAt(at - 1))) at--
  return at
}

const isDigit = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit >= ZERO && unit <= NINE
}
