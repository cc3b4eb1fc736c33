import { LRUCache } from 'lru-cache'
import type { JsonObject, Outcome } from '../../../../protocols/json-rpc/message.ts'
import { type CacheHints, cacheHintsOf } from '../../../../protocols/mcp/cache-hints.ts'

/** Lists that a server said may be used again, for as long as it said, and for whom. */
export class ListCache {
  readonly #kept = new LRUCache<string, Outcome>({ max: KEPT_LIMIT })

  /**
   * @param whose Who is asking; undefined for whom nobody knows, who is given what is for everybody only.
   * @returns The answer as the server gave it, with what is left of its time.
   */
  find(method: string, params: JsonObject | undefined, whose: string | undefined): Outcome | undefined {
    const everybody = keyOf(method, params, '')
    const key = this.#kept.has(everybody) || whose === undefined ? everybody : keyOf(method, params, whose)
    const outcome = this.#kept.get(key)
    if (!outcome || !('result' in outcome)) return undefined
    return { result: { ...outcome.result, ttlMs: Math.trunc(this.#kept.getRemainingTTL(key)) } }
  }

  keep(method: string, params: JsonObject | undefined, whose: string | undefined, outcome: Outcome): void {
    if ('error' in outcome) return
    // Clients of older revisions get what is kept as well, and know no such member; to newer ones it is said anew.
    const { resultType: _, ...result } = outcome.result
    const { ttlMs, cacheScope }: CacheHints = cacheHintsOf(result)
    if (ttlMs === 0 || (cacheScope === 'private' && whose === undefined)) return
    const key = keyOf(method, params, cacheScope === 'public' ? '' : (whose as string))
    this.#kept.set(key, { result }, { ttl: Math.min(ttlMs, TTL_LIMIT_MS) })
  }

  /** The server says that its lists are others now. */
  changed(notification: string): void {
    const kind = /^notifications\/(\w+)\/list_changed$/.exec(notification)?.[1]
    if (kind === undefined) return
    for (const key of this.#kept.keys()) if (key.startsWith(`["${kind}/`)) this.#kept.delete(key)
  }
}

/** Answers to one server's lists: pages, and what is private of callers. */
const KEPT_LIMIT = 1_000
/** A server that says more may be wrong about itself. */
const TTL_LIMIT_MS = 3_600_000

const keyOf = (method: string, params: JsonObject | undefined, whose: string): string =>
  JSON.stringify([method, params?.cursor ?? null, whose])
