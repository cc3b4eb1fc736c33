import type { McpPhase } from './schema.ts'

/**
 * Which messages of a method a processor gets: the most specific pattern counts. An exact method is more specific than
 * a prefix (`tools/*`), that more than a suffix (`*` in front), and `*` is the least; among equal kinds the longer
 * wins. Without a match: `off`.
 */
export const phaseOf = (
  patterns: readonly (readonly [pattern: string, phase: McpPhase])[],
): ((method: string) => McpPhase) => {
  const ranked = patterns
    .map(([pattern, phase]) => ({ ...matcher(pattern), length: pattern.length, phase }))
    .sort((a, b) => a.rank - b.rank || b.length - a.length)
  return (method) => ranked.find(({ fits }) => fits(method))?.phase ?? 'off'
}

interface Matcher {
  readonly rank: number
  readonly fits: (method: string) => boolean
}

const matcher = (pattern: string): Matcher => {
  if (pattern === '*') return { rank: 3, fits: () => true }
  if (pattern.startsWith('*')) return { rank: 2, fits: (method) => method.endsWith(pattern.slice(1)) }
  if (pattern.endsWith('*')) return { rank: 1, fits: (method) => method.startsWith(pattern.slice(0, -1)) }
  return { rank: 0, fits: (method) => method === pattern }
}

/** The union of two phases. */
export const eitherPhase = (one: McpPhase, other: McpPhase): McpPhase => {
  if (one === 'off' || one === other) return other
  return other === 'off' ? one : 'full'
}

/** Whether the phase includes requests. */
export const hasRequest = (phase: McpPhase): boolean => phase === 'request' || phase === 'full'

/** Whether the phase includes responses. */
export const hasResponse = (phase: McpPhase): boolean => phase === 'response' || phase === 'full'
