/** A place up to which the provider is to keep the prompt in its cache. */
export interface CacheMark {
  /** How long, such as `5m` or `1h`; undefined is the provider's default. */
  readonly ttl?: string | undefined
}
