import type { LlmRoute, LlmRouteType } from '../../model/llm.ts'

/** What requests of the section `llm` are by their paths. */
export const sectionRoutes: readonly LlmRoute[] = llmRoutes({
  ':streamGenerateContent': 'generateContent',
  '/v1/messages/count_tokens': 'anthropicTokenCount',
  '/v1/chat/completions': 'completions',
  '/v1/images/generations': 'detect',
  '/v1/images/variations': 'detect',
  '/v1/responses/compact': 'detect',
  ':streamRawPredict': 'messages',
  ':generateContent': 'generateContent',
  '/v1/images/edits': 'detect',
  '/v1/embeddings': 'embeddings',
  '/v1/responses': 'responses',
  '/v1/messages': 'messages',
  '/v1/realtime': 'realtime',
  ':countTokens': 'geminiCountTokens',
  ':rawPredict': 'messages',
  '/converse-stream': 'converse',
  '/converse': 'converse',
  '/invoke-with-response-stream': 'invoke',
  '/invoke': 'invoke',
  '/v1/rerank': 'rerank',
  '/v2/rerank': 'rerank',
  '*': 'passthrough',
})

/** Paths' ends as they are looked for: longer ones first, every path last. */
export function llmRoutes(types: Readonly<Record<string, LlmRouteType>>): readonly LlmRoute[] {
  const rank = (suffix: string): number => (suffix === '*' ? -1 : suffix.length)
  return Object.entries(types)
    .map(([suffix, type]) => ({ suffix, type }))
    .sort((a, b) => rank(b.suffix) - rank(a.suffix))
}
