import type { CountryCode } from 'libphonenumber-js/core'
import { createRequire } from 'node:module'
import { extname } from 'node:path'

/** The library with the numbering plans. */
export type PhoneLibrary = typeof import('./phone-library.ts')

/**
 * Loads the library at the first call, which takes 40 ms and 2 MB: call it when a guard is compiled, not during a
 * check.
 */
export const phoneLibrary = (): PhoneLibrary => (loaded ??= load())

let loaded: PhoneLibrary | undefined

const written = extname(import.meta.url)

const load = (): PhoneLibrary => createRequire(import.meta.url)(`./phone-library${written}`) as PhoneLibrary

/** Countries whose plans apply to numbers without a country code, in this order. */
const COUNTRIES: readonly CountryCode[] = ['US', 'GB', 'DE', 'IL', 'IN', 'CA', 'BR']
const [FEWEST_DIGITS, MOST_DIGITS] = [7, 15]
const CACHE_LIMIT = 2_000
const cache = new Map<string, boolean>()
/** Look-ups in one turn of the event loop: a text full of digits must not delay other requests. */
const TURN_LIMIT = 2_000
let lookupsThisTurn = 0

/**
 * Whether this is a valid number: one with its country code, or one of the countries above. If a text has more
 * candidates than may be looked up in a turn, the rest count as numbers.
 */
export const isPhoneNumber = (text: string): boolean => {
  const digits = text.replace(/[^+\d]/g, '')
  if (digits.length < FEWEST_DIGITS || digits.length > MOST_DIGITS + 1) return false
  // A look-up takes some 30 µs per country: texts that repeat a number, maliciously or not, are served from the
  // cache.
  let is = cache.get(digits)
  if (is === undefined) {
    if (lookupsThisTurn === 0)
      setImmediate(() => {
        lookupsThisTurn = 0
      }).unref()
    if (++lookupsThisTurn > TURN_LIMIT) return true
    is = COUNTRIES.some((defaultCountry) => exists(digits, defaultCountry))
    if (cache.size >= CACHE_LIMIT) cache.clear()
    cache.set(digits, is)
  }
  return is
}

const exists = (text: string, defaultCountry: CountryCode): boolean => {
  const { parse, metadata } = phoneLibrary()
  return parse(text, { defaultCountry, extract: false }, metadata)?.isValid() ?? false
}

/** How many words at the end of a candidate may turn out not to belong to the number. */
const WORD_LIMIT = 3
/** With fewer digits, the beginning of a longer number, such as that of a card, would match. */
const FEWEST_DIGITS_SHORTENED = 10
/** Dates would be valid numbers of Germany. */
const DAY = /(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:[0-2]\d|3[01])(?!\d)/y

const [ZERO, NINE] = [48, 57]

/**
 * Accepts a candidate as a phone number up to its last digit, or without its last words: in `+1 415 555 2671 3 times`
 * the pattern matches one digit too many. Otherwise the search continues at the next group of digits.
 */
export const checkPhoneNumber = (text: string, start: number, end: number, before: number): number => {
  DAY.lastIndex = start
  if (DAY.test(text)) return start - DAY.lastIndex
  const first = digitsEnd(text, start, end)
  if (before >= ZERO && before <= NINE) return start - first
  // The pattern may have ended within a group of digits.
  let to = isDigit(text, end) && isDigit(text, end - 1) ? wordStart(text, start, end) : end
  const last = lastDigit(text, start, to)
  for (let shorter = 0; shorter <= WORD_LIMIT; shorter++) {
    to = lastDigit(text, start, to)
    if (to <= start) break
    const candidate = text.slice(start, to)
    if (to < last && candidate.replace(/\D/g, '').length < FEWEST_DIGITS_SHORTENED) break
    if (isPhoneNumber(candidate)) return to
    to = wordStart(text, start, to)
  }
  return start - first
}

const digitsEnd = (text: string, start: number, end: number): number => {
  let at = start
  while (at < end && !isDigit(text, at)) at++
  while (at < end && isDigit(text, at)) at++
  return at
}

/** The offset after the last digit. */
const lastDigit = (text: string, start: number, end: number): number => {
  let at = end
  while (at > start && !isDigit(text, at - 1)) at--
  return at
}

const wordStart = (text: string, start: number, end: number): number => {
  let at = end
  while (at > start && !/\s/.test(text.charAt(at - 1))) at--
  return at
}

const isDigit = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit >= ZERO && unit <= NINE
}
