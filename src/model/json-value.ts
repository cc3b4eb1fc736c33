/** Any JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonMembers

/** A JSON object. */
export interface JsonMembers {
  readonly [name: string]: JsonValue
}
