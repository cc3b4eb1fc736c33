/** How it stands with one endpoint of a backend that has a `health` policy. */
export interface EndpointStatus {
  readonly backend: string
  /** `host:port` or `unix:/path`. */
  readonly endpoint: string
  /** `evicted`: left out for a while, for what calls have shown. `unhealthy`: left out for what checks show. */
  readonly state: 'healthy' | 'evicted' | 'unhealthy'
  /** Why it was left out the last time; undefined if it never was. */
  readonly reason: string | undefined
  /** In milliseconds since the epoch. */
  readonly sinceMs: number
  /** When it is used again, in milliseconds since the epoch, where that is known. */
  readonly untilMs: number | undefined
  /** 0…1: a moving average of what calls have shown. */
  readonly score: number
  /** Calls under way. */
  readonly pending: number
}
