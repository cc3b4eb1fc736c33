import type { JsonObject, Outcome } from '../../../protocols/json-rpc/message.ts'
import { type CacheHints, cacheHintsOf } from '../../../protocols/mcp/cache-hints.ts'
import { ExpiringCache } from '../../../upstream/expiring-cache.ts'

interface Kept {
  readonly result: JsonObject
  readonly untilMs: number
}

/**
 * Lists that a server marked as cacheable, with their lifetime and scope; and lists of unused programs without such
 * hints, which each new instance would list as well.
 */
export class ListCache {
  readonly #kept: ExpiringCache<Kept>

  constructor(maxBytes = KEPT_BYTES) {
    this.#kept = new ExpiringCache({
      name: 'mcp_lists',
      maxEntries: KEPT_LIMIT,
      maxBytes,
      // Parsed JSON takes about twice its text; keys count as well.
      bytesOf: ({ result }, key) => 2 * (JSON.stringify(result).length + key.length),
    })
  }

  /** Estimated size. */
  get bytes(): number {
    return this.#kept.bytes
  }

  /**
   * @param principal The caller; undefined for an anonymous one, who gets public entries only.
   * @returns The result as the server sent it, with its remaining lifetime.
   */
  find(method: string, params: JsonObject | undefined, principal: string | undefined): Outcome | undefined {
    const shared = this.#kept.get(keyOf(method, params, ''))
    const kept =
      shared ?? (principal === undefined ? undefined : this.#kept.get(keyOf(method, params, principal)))
    if (!kept) return undefined
    const ttlMs = Math.max(0, Math.trunc(kept.untilMs - performance.now()))
    return { result: { ...kept.result, ttlMs } }
  }

  keep(
    method: string,
    params: JsonObject | undefined,
    principal: string | undefined,
    outcome: Outcome,
  ): void {
    if ('error' in outcome) return
    // Entries are used for older revisions as well, which do not have this member; for newer ones it is added again.
    const { resultType: _, ...result } = outcome.result
    const { ttlMs, cacheScope }: CacheHints = cacheHintsOf(result)
    if (ttlMs === 0 || (cacheScope === 'private' && principal === undefined)) return
    const key = keyOf(method, params, cacheScope === 'public' ? '' : (principal as string))
    this.#set(key, result, Math.min(ttlMs, TTL_LIMIT_MS))
  }

  /** @param kind The client's parameters that the program got. */
  findUnused(method: string, kind: string): Outcome | undefined {
    const kept = this.#kept.get(unusedKey(method, kind))
    return kept && { result: kept.result }
  }

  /** Keeps the result of an unused program if it is the whole list. */
  keepUnused(method: string, kind: string, outcome: Outcome): void {
    if ('error' in outcome || outcome.result.nextCursor !== undefined) return
    const ttlMs = method.startsWith('resources/') ? RESOURCES_TTL_MS : UNUSED_TTL_MS
    this.#set(unusedKey(method, kind), outcome.result, ttlMs)
  }

  /** The server announced changed lists. */
  changed(notification: string): void {
    const kind = /^notifications\/(\w+)\/list_changed$/.exec(notification)?.[1]
    if (kind === undefined) return
    for (const key of this.#kept.keys()) if (key.startsWith(`["${kind}/`)) this.#kept.delete(key)
  }

  /** The server was replaced or restarted. */
  clear(): void {
    this.#kept.clear()
  }

  #set(key: string, result: JsonObject, ttlMs: number): void {
    this.#kept.set(key, { result, untilMs: performance.now() + ttlMs }, ttlMs)
  }
}

/** Entries of one server: pages, and private results of callers. */
const KEPT_LIMIT = 1_000
const KEPT_BYTES = 16 * 2 ** 20
/** Upper bound of the lifetime that a server states. */
const TTL_LIMIT_MS = 3_600_000
/** Lifetime without a server's hint. */
const UNUSED_TTL_MS = 600_000
/** Resources change without a change of the program. */
const RESOURCES_TTL_MS = 60_000

const keyOf = (method: string, params: JsonObject | undefined, principal: string): string =>
  JSON.stringify([method, params?.cursor ?? null, principal])

const unusedKey = (method: string, kind: string): string => JSON.stringify([method, { kind }])
