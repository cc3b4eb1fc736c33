/** Status of one endpoint of a backend that has a `health` policy. */
export interface EndpointStatus {
  readonly backend: string
  /** `host:port` or `unix:/path`. */
  readonly endpoint: string
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
}
