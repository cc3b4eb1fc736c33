/** The fields of a JSON object that may be changed: one in memory, or a text whose other bytes stay unchanged. */
export interface Members {
  has(name: string): boolean
  /** The value, parsed; undefined if there is none. */
  get(name: string): unknown
  /** Keeps the position of an existing field. */
  set(name: string, value: unknown): void
  delete(name: string): void
  /** Keeps the text of the value. Does nothing if there is no such field. */
  rename(from: string, to: string): void
}
