import type { CountryCode } from 'libphonenumber-js/core'
import { phoneLibrary } from './phone-library.ts'

/** A number without a country code is looked up in the plans of these, in this order. */
const COUNTRIES: readonly CountryCode[] = ['US', 'GB', 'DE', 'IL', 'IN', 'CA', 'BR']
const [FEWEST_DIGITS, MOST_DIGITS] = [7, 15]
const MOST_KNOWN = 2_000
const known = new Map<string, boolean>()
/** More are not looked up in one turn of the event loop: nobody else's requests are to wait for a text full of digits. */
const MOST_A_TURN = 2_000
let thisTurn = 0

/**
 * Whether this is a number that exists: one with its country code, or one of the countries above. Where a text is made of
 * more candidates than can be looked up in a turn, the rest of them are taken for numbers.
 */
export const isPhoneNumber = (text: string): boolean => {
  const digits = text.replace(/[^+\d]/g, '')
  if (digits.length < FEWEST_DIGITS || digits.length > MOST_DIGITS + 1) return false
  // A look at the plans takes some 30 µs a country: texts that repeat a number, or are made to, get it from here.
  let is = known.get(digits)
  if (is === undefined) {
    if (thisTurn === 0)
      setImmediate(() => {
        thisTurn = 0
      }).unref()
    if (++thisTurn > MOST_A_TURN) return true
    is = COUNTRIES.some((defaultCountry) => exists(digits, defaultCountry))
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(digits, is)
  }
  return is
}

const exists = (text: string, defaultCountry: CountryCode): boolean => {
  const { parse, plans } = phoneLibrary()
  return parse(text, { defaultCountry, extract: false }, plans)?.isValid() ?? false
}
