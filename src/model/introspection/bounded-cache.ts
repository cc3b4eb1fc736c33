import { LRUCache } from 'lru-cache'
import { trackCache } from './cache-usage.ts'

/** Options of `lru-cache`, with a limit of entries. */
export type BoundedCacheOptions<Key extends object | string, Value extends object | true> = LRUCache.Options<
  Key,
  Value,
  unknown
> & { readonly max: number }

/**
 * A cache that drops the least recently used entry, listed in `/memory`. The only code besides `ExpiringCache` that
 * makes caches of `lru-cache`, so that none is missing there.
 *
 * @param name For operators, such as `dnsNames`.
 * @example
 * const names = boundedCache<string, DnsEntry>('dnsNames', { max: 1_000 })
 */
export const boundedCache = <Key extends object | string, Value extends object | true>(
  name: string,
  options: BoundedCacheOptions<Key, Value>,
): LRUCache<Key, Value> =>
  trackCache(name, new LRUCache<Key, Value>(options), {
    maxEntries: options.max,
    maxBytes: options.maxSize,
  })
