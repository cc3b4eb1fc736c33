/** Freshness of a response that states none. */
const DEFAULT_MS = 300_000
/** Shorter times would defeat the cache; longer ones would keep revoked keys. */
const SHORTEST_MS = 10_000
const LONGEST_MS = 86_400_000

/**
 * How long a response may be used without a new request: `Cache-Control` and `Age` (RFC 9111 §4.2), within ten seconds
 * and a day.
 */
export const freshForMs = (cacheControl: string | undefined, age: string | undefined): number => {
  const directives = (cacheControl ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
  if (directives.some((one) => /^(?:no-store|no-cache)(?:$|=)/.test(one))) return SHORTEST_MS
  const maxAge = directives
    .map((one) => /^max-age="?(\d{1,10})"?$/.exec(one)?.[1])
    .find((one) => one !== undefined)
  if (maxAge === undefined) return DEFAULT_MS
  const passed = age !== undefined && /^\d{1,10}$/.test(age) ? Number(age) : 0
  return Math.min(Math.max((Number(maxAge) - passed) * 1000, SHORTEST_MS), LONGEST_MS)
}
