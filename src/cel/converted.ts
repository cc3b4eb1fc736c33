import { fromPlain } from './values.ts'

/**
 * The same as `fromPlain`, done once for an object that never changes: claims and the like are read by many expressions
 * of one exchange, and are not small.
 */
export const convertedOnce = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return fromPlain(value)
  let known = conversions.get(value)
  if (known === undefined) conversions.set(value, (known = fromPlain(value)))
  return known
}

const conversions = new WeakMap<object, unknown>()
