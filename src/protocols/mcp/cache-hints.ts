import type { JsonObject } from '../json-rpc/message.ts'

/** For how long a result may be used again, and by whom. */
export interface CacheHints {
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

/** What a result without hints means, and one with hints that make no sense: it is stale at once, and the client's own. */
export const cacheHintsOf = ({ ttlMs, cacheScope }: JsonObject): CacheHints => ({
  ttlMs: typeof ttlMs === 'number' && ttlMs > 0 && Number.isFinite(ttlMs) ? Math.trunc(ttlMs) : 0,
  cacheScope: cacheScope === 'public' ? 'public' : 'private',
})

/** The hints of a result made of several: as fresh as the least fresh, for everybody only if all are. */
export const mergeCacheHints = (results: readonly JsonObject[]): CacheHints => {
  const hints = results.map(cacheHintsOf)
  return {
    ttlMs: hints.length === 0 ? 0 : Math.min(...hints.map(({ ttlMs }) => ttlMs)),
    cacheScope:
      hints.length > 0 && hints.every(({ cacheScope }) => cacheScope === 'public') ? 'public' : 'private',
  }
}
