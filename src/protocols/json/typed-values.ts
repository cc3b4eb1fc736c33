/** The value, if it is a string. */
export const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The value, if it is a number. */
export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined

/** The value, if it is a list, else an empty one. */
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
