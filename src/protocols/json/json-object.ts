/** Any JSON value that is an object. */
export type JsonObject = Record<string, unknown>

/** The value, if it is a JSON object. */
export const jsonObjectIn = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined

/** The value, if it is a JSON object, else an empty one. */
export const jsonObjectOr = (value: unknown): JsonObject => jsonObjectIn(value) ?? {}
