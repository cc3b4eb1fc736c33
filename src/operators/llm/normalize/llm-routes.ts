import type { LlmRoute, LlmRouteType } from '../../model/llm.ts'

/** Paths' ends as they are looked for: longer ones first, every path last. */
export function llmRoutes(types: Readonly<Record<string, LlmRouteType>>): readonly LlmRoute[] {
  const rank = (suffix: string): number => (suffix === '*' ? -1 : suffix.length)
  return Object.entries(types)
    .map(([suffix, type]) => ({ suffix, type }))
    .sort((a, b) => rank(b.suffix) - rank(a.suffix))
}
