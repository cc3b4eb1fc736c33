/**
 * Parses a Content-Length: decimal digits, no sign, no blanks, no list, no leading zeros, at most 15 digits
 * (exact as a number). `undefined` for everything else.
 */
export const parseContentLength = (value: string): number | undefined => {
  const digits = value.length
  if (digits === 0 || digits > 15 || (digits > 1 && value.charCodeAt(0) === ZERO)) return undefined
  let length = 0
  for (let i = 0; i < digits; i++) {
    const digit = value.charCodeAt(i) - ZERO
    if (digit < 0 || digit > 9) return undefined
    length = length * 10 + digit
  }
  return length
}

const ZERO = 0x30
