/** The remaining quota of a rate limit, as shown to clients. */
export interface Quota {
  readonly limit: number
  readonly remaining: number
  /** Whole seconds until the quota grows. */
  readonly resetSeconds: number
}

/** The quota with less remaining; if equal, the one that resets later. */
export const tighter = (one: Quota | undefined, other: Quota): Quota => {
  if (!one || other.remaining < one.remaining) return other
  return other.remaining === one.remaining && other.resetSeconds > one.resetSeconds ? other : one
}
