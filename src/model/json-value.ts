/** What JSON can say. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonMembers

/** An object of JSON. */
export interface JsonMembers {
  readonly [name: string]: JsonValue
}
