/**
 * Accepts a number as that of a credit card if its check digit is right (ISO/IEC 7812-1, Annex B). Otherwise the
 * search continues after the first digit.
 */
export const isCreditCard = (text: string, start: number, end: number): number =>
  hasCheckDigit(text, start, end) ? end : -1

const hasCheckDigit = (text: string, start: number, end: number): boolean => {
  let sum = 0
  let isSecond = false
  for (let at = end - 1; at >= start; at--) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) continue
    sum += isSecond ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit
    isSecond = !isSecond
  }
  return sum % 10 === 0
}
