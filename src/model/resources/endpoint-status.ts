/** Status of one endpoint of a backend: an address, or a provider of language models. */
export interface EndpointStatus {
  readonly backend: string
  /** `host:port`, `unix:/path` or the name of a provider. */
  readonly endpoint: string
  /** Whether it can be taken out: it has a `health` policy, or is a provider. */
  readonly isSupervised: boolean
  /** `evicted`: taken out for a while by passive checks. `unhealthy`: taken out by active checks. */
  readonly state: 'healthy' | 'evicted' | 'unhealthy'
  /** Why it was taken out last; undefined if it never was. */
  readonly reason: string | undefined
  /** In milliseconds since the epoch. */
  readonly sinceMs: number
  /** When it is used again, in milliseconds since the epoch, if that is known. */
  readonly untilMs: number | undefined
  /** 0…1: a moving average of the outcomes of calls. */
  readonly score: number
  /** Calls under way. */
  readonly pending: number
  /** Calls since the endpoint is known. */
  readonly requests: number
  /** Failed calls. */
  readonly failures: number
  readonly consecutiveFailures: number
  /** How often it was evicted. */
  readonly evictions: number
  /** Moving average of the time to the response of successful calls; undefined before the first. */
  readonly latencyMs: number | undefined
}
