/** Any JSON value that is an object. */
export type JsonObject = Record<string, unknown>

/** Whether a value is a JSON object: neither null nor a list. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value, if it is a JSON object. */
export const jsonObjectIn = (value: unknown): JsonObject | undefined =>
  isJsonObject(value) ? value : undefined

/** The value, if it is a JSON object, else an empty one. */
export const jsonObjectOr = (value: unknown): JsonObject => jsonObjectIn(value) ?? {}
