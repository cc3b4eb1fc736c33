/**
 * Parses a duration of the Gateway API (GEP-2257) into milliseconds: one to four whole numbers of up to five digits,
 * each with `h`, `m`, `s` or `ms`. Undefined for other texts, fractions and bare numbers included.
 *
 * @example
 * parseGatewayDuration('1m30s') // 90000
 */
export const parseGatewayDuration = (text: string): number | undefined => {
  if (!WHOLE.test(text)) return undefined
  let total = 0
  for (const [, count, unit] of text.matchAll(PART)) total += Number(count) * (UNIT_MS[unit ?? ''] ?? NaN)
  return total
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const PART = /(\d{1,5})(ms|s|m|h)/g
const WHOLE = /^(?:\d{1,5}(?:h|m|s|ms)){1,4}$/
