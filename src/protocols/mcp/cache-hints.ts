import type { JsonObject } from '../json-rpc/message.ts'

/** How long a result may be reused, and whether callers may share it. */
export interface CacheHints {
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

/** The hints of a result; missing or malformed ones mean stale at once and private. */
export const cacheHintsOf = ({ ttlMs, cacheScope }: JsonObject): CacheHints => ({
  ttlMs: typeof ttlMs === 'number' && ttlMs > 0 && Number.isFinite(ttlMs) ? Math.trunc(ttlMs) : 0,
  cacheScope: cacheScope === 'public' ? 'public' : 'private',
})

/** The hints of a merged result: as fresh as the least fresh, public only if all are. */
export const mergeCacheHints = (results: readonly JsonObject[]): CacheHints => {
  const hints = results.map(cacheHintsOf)
  return {
    ttlMs: hints.length === 0 ? 0 : Math.min(...hints.map(({ ttlMs }) => ttlMs)),
    cacheScope:
      hints.length > 0 && hints.every(({ cacheScope }) => cacheScope === 'public') ? 'public' : 'private',
  }
}
