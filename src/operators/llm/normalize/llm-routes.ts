import type { LlmRoute, LlmRouteType } from '../../../model/llm/llm-backend.ts'

/** Suffixes of paths in the order of matching: longer ones first, `*` last. */
export function llmRoutes(types: Readonly<Record<string, LlmRouteType>>): readonly LlmRoute[] {
  const rank = (suffix: string): number => (suffix === '*' ? -1 : suffix.length)
  return Object.entries(types)
    .map(([suffix, type]) => ({ suffix, type }))
    .sort((a, b) => rank(b.suffix) - rank(a.suffix))
}
