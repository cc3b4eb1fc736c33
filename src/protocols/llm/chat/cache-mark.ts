/** A cache breakpoint: the provider is to cache the prompt up to here. */
export interface CacheMark {
  /** Time to live, such as `5m` or `1h`; undefined is the provider's default. */
  readonly ttl?: string | undefined
}
