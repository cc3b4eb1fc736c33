import type { McpPhase } from '../../model/mcp-guardrails.ts'

/**
 * Which messages of a method a processor sees: by the pattern that says most. A method itself says more than how it
 * begins (`tools/*`), that more than how it ends (`*` before it), and everything (`*`) says least; of two of one kind,
 * the longer says more. What fits nothing is `off`.
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

/** Both phases, as far as one of two has them. */
export const eitherPhase = (one: McpPhase, other: McpPhase): McpPhase => {
  if (one === 'off' || one === other) return other
  return other === 'off' ? one : 'full'
}

/** Whether requests are among it. */
export const hasRequest = (phase: McpPhase): boolean => phase === 'request' || phase === 'full'

/** Whether responses are among it. */
export const hasResponse = (phase: McpPhase): boolean => phase === 'response' || phase === 'full'
