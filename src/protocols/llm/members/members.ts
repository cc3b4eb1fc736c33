/** The fields of a JSON object that may be changed: of one in memory, or of a text that otherwise stays as it is. */
export interface Members {
  has(name: string): boolean
  /** The value, parsed; undefined if there is none. */
  get(name: string): unknown
  /** Keeps the place of a field that is there. */
  set(name: string, value: unknown): void
  delete(name: string): void
  /** The value stays as it is written. Does nothing if there is no such field. */
  rename(from: string, to: string): void
}
