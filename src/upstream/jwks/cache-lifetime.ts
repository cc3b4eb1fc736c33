/** How long an answer is fresh if it does not say so itself. */
const DEFAULT_MS = 300_000
/** Shorter times would make a caller of a cache; longer ones would keep what was revoked. */
const SHORTEST_MS = 10_000
const LONGEST_MS = 86_400_000

/**
 * For how long an answer may be used without asking again: what `Cache-Control` and `Age` say (RFC 9111 §4.2), within
 * ten seconds and a day.
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
