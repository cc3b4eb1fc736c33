/** What is left of a limit, as clients are told. */
export interface Quota {
  readonly limit: number
  readonly remaining: number
  /** Whole seconds until there is more. */
  readonly resetSeconds: number
}

/** The one that leaves less, and of two that leave the same the one that takes longer to leave more. */
export const tighter = (one: Quota | undefined, other: Quota): Quota => {
  if (!one || other.remaining < one.remaining) return other
  return other.remaining === one.remaining && other.resetSeconds > one.resetSeconds ? other : one
}
