import type { Reasoning, ReasoningEffort } from '../chat/request.ts'

/** How much to think, as an effort: the one said, or the one whose budget is nearest. */
export const effortOf = (reasoning: Reasoning): ReasoningEffort | undefined => {
  const { effort, budgetTokens, adaptive } = reasoning
  if (effort) return effort
  if (budgetTokens !== undefined) return nearest(budgetTokens)
  return adaptive ? 'high' : undefined
}

/** What each effort is worth in tokens. */
const budgets = [
  ['low', 1024],
  ['medium', 2048],
  ['high', 4096],
  ['xhigh', 8192],
  ['max', 16_384],
] as const

const nearest = (tokens: number): ReasoningEffort => {
  if (tokens <= 0) return 'none'
  let best: (typeof budgets)[number] = budgets[0]
  for (const one of budgets) if (Math.abs(one[1] - tokens) < Math.abs(best[1] - tokens)) best = one
  return best[0]
}
