import { isJsonObject } from '../../protocols/json/json-object.ts'

/** A value as JSON, and whether something of it was left out. */
export interface BoundedJson {
  readonly json: string
  readonly isCut: boolean
}

/** What is cut off a text before it is masked is more than this beyond what is shown of it. */
const OVERLAP = 4_096
/** Texts are not cut to less. */
const SHORTEST = 16
const MARK = '…'

/**
 * A value as JSON of at most `maxBytes`, with every text masked. Of a list, the last items stay, and long texts keep
 * their beginnings.
 *
 * A text is masked before it is cut to its final length, and never shown up to the end of what was masked: a cut must
 * not leave half of a secret that the mask would have recognised. So the cost depends on the limit, not on the text.
 *
 * @returns Undefined if not even a part fits.
 */
export const boundedJson = (
  value: unknown,
  maxBytes: number,
  mask: (text: string) => string,
): BoundedJson | undefined => {
  if (!Array.isArray(value)) return shortened(value, maxBytes, mask)
  const shown: string[] = []
  // The brackets.
  let left = maxBytes - 2
  let isCut = false
  for (const item of (value as readonly unknown[]).toReversed()) {
    const one = left > SHORTEST ? shortened(item, left, mask) : undefined
    isCut ||= !one || one.isCut
    if (!one) break
    shown.unshift(one.json)
    left -= Buffer.byteLength(one.json) + 1
  }
  return shown.length === 0 && value.length > 0 ? undefined : { json: `[${shown.join(',')}]`, isCut }
}

const shortened = (
  value: unknown,
  maxBytes: number,
  mask: (text: string) => string,
): BoundedJson | undefined => {
  for (let limit = maxBytes; limit >= SHORTEST; limit = Math.floor(limit / 2)) {
    const budget = { members: maxBytes, isCut: false }
    const json = JSON.stringify(masked(value, limit, mask, budget))
    if (Buffer.byteLength(json) <= maxBytes) return { json, isCut: budget.isCut }
  }
  return undefined
}

/** The value with its texts masked and cut; members beyond the budget are left out, since each takes a byte at least. */
const masked = (
  value: unknown,
  limit: number,
  mask: (text: string) => string,
  budget: { members: number; isCut: boolean },
): unknown => {
  const inner = (one: unknown): unknown => masked(one, limit, mask, budget)
  if (typeof value === 'string') {
    const text = maskedText(value, limit, mask)
    budget.isCut ||= text.isCut
    return text.text
  }
  if (Array.isArray(value)) return (value as unknown[]).filter(() => fits(budget)).map(inner)
  if (!isJsonObject(value)) return value ?? null
  const members = Object.entries(value).filter(() => fits(budget))
  return Object.fromEntries(members.map(([name, member]) => [inner(name), inner(member)]))
}

const fits = (budget: { members: number; isCut: boolean }): boolean => {
  const isWithin = budget.members-- > 0
  budget.isCut ||= !isWithin
  return isWithin
}

const maskedText = (text: string, limit: number, mask: (text: string) => string) => {
  if (text.length <= limit + OVERLAP) {
    const whole = mask(text)
    return whole.length <= limit
      ? { text: whole, isCut: false }
      : { text: whole.slice(0, limit) + MARK, isCut: true }
  }
  const part = mask(text.slice(0, limit + OVERLAP))
  return { text: part.slice(0, Math.max(0, Math.min(limit, part.length - OVERLAP))) + MARK, isCut: true }
}
