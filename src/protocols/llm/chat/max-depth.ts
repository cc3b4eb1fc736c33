/** Whether a JSON value is nested so deep that serializing it could overflow the stack. */
export const isTooDeep = (value: unknown, levels = MAX_DEPTH): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const inner of Object.values(value)) if (isTooDeep(inner, levels - 1)) return true
  return false
}

const MAX_DEPTH = 512
