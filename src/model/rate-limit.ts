import type { Cel } from './policies.ts'

/** A bucket that requests, or the tokens that language models count, are taken from. It begins full. */
export interface LocalLimit {
  readonly maxTokens: number
  /** Put in at the end of each interval, as far as there is room. */
  readonly tokensPerFill: number
  readonly fillIntervalMs: number
  readonly type: 'requests' | 'tokens'
}

/** Limits of this process alone: all of them hold, or the first whose condition does. */
export type LocalRateLimit = LocalRateLimitOwner &
  (
    | { readonly limits: readonly LocalLimit[] }
    | { readonly conditional: readonly (LocalLimit & { readonly condition?: Cel })[] }
  )

interface LocalRateLimitOwner {
  /** Which policy of the configuration it is: wherever that one applies, the same buckets are meant. */
  readonly instance: string
}
