/** The limits of a cache. */
export interface CacheLimits {
  /** Undefined if only bytes are limited. */
  readonly maxEntries?: number | undefined
  /** Undefined if only entries are limited. */
  readonly maxBytes?: number | undefined
}

/** What is measured of a cache: a map, or a cache of `lru-cache`. */
export interface MeasuredCache {
  readonly size: number
  /** Estimated bytes, if they are limited. */
  readonly calculatedSize?: number
}

/** The caches of one name together: entries, limits and bytes are sums. */
export interface CacheUsage extends CacheLimits {
  readonly name: string
  /** Number of caches, such as one for each policy or each server. */
  readonly instances: number
  readonly entries: number
  /** Undefined if only entries are limited. */
  readonly bytes?: number | undefined
}

interface TrackedCache {
  readonly name: string
  readonly cache: WeakRef<MeasuredCache>
  readonly limits: CacheLimits
}

/** Weak: caches belong to policies and sessions, which are dropped without notice. */
let tracked: TrackedCache[] = []
/** Number at which collected caches are removed, so that this costs little for each new one. */
let sweepAt = 256

/**
 * Lists a bounded cache of the process among those of `/memory`, for as long as it is in use, and returns it.
 *
 * @param name For operators, such as `jwtTokens`; many caches may share one.
 * @example
 * const formats = trackCache('timeZones', new Map<string, Format>(), { maxEntries: 64 })
 */
export const trackCache = <Cache extends MeasuredCache>(
  name: string,
  cache: Cache,
  limits: CacheLimits,
): Cache => {
  tracked.push({ name, cache: new WeakRef(cache), limits })
  if (tracked.length >= sweepAt) {
    tracked = tracked.filter((one) => one.cache.deref() !== undefined)
    sweepAt = Math.max(256, tracked.length * 2)
  }
  return cache
}

/** The caches of this process by name; pauses after each cache, so that the work can be sliced. */
export function* cacheUsages(): Generator<undefined, readonly CacheUsage[]> {
  const byName = new Map<string, CacheUsage>()
  for (const { name, cache, limits } of [...tracked]) {
    const found = cache.deref()
    if (found) byName.set(name, sumOf(byName.get(name), usageOf(name, found, limits)))
    yield undefined
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Two usages of one name together. */
export const sumOf = (one: CacheUsage | undefined, other: CacheUsage): CacheUsage =>
  one === undefined
    ? other
    : {
        name: one.name,
        instances: one.instances + other.instances,
        entries: one.entries + other.entries,
        maxEntries: sumIfAny(one.maxEntries, other.maxEntries),
        bytes: sumIfAny(one.bytes, other.bytes),
        maxBytes: sumIfAny(one.maxBytes, other.maxBytes),
      }

const usageOf = (name: string, { size, calculatedSize }: MeasuredCache, limits: CacheLimits): CacheUsage => ({
  name,
  instances: 1,
  entries: size,
  maxEntries: limits.maxEntries,
  bytes: limits.maxBytes === undefined ? undefined : (calculatedSize ?? 0),
  maxBytes: limits.maxBytes,
})

const sumIfAny = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined ? other : one + (other ?? 0)
