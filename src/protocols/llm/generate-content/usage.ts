import { defined } from '../../json/omit-undefined.ts'
import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import type { Usage } from '../usage.ts'

/**
 * Decodes `usageMetadata`. Google counts thinking separately from the candidates, and the input of its own tools
 * separately from the prompt, which includes cached tokens.
 */
export const usageIn = (value: unknown): Usage | undefined => {
  const metadata = jsonObjectIn(value)
  if (!metadata) return undefined
  const count = (name: string, other: string): number | undefined => {
    const figure = metadata[name] ?? metadata[other]
    return typeof figure === 'number' && figure >= 0 ? figure : undefined
  }
  const prompt = count('promptTokenCount', 'prompt_token_count')
  const thoughts = count('thoughtsTokenCount', 'thoughts_token_count')
  const total = count('totalTokenCount', 'total_token_count')
  const into = modalitiesIn(metadata.promptTokensDetails ?? metadata.prompt_tokens_details)
  const out = modalitiesIn(metadata.candidatesTokensDetails ?? metadata.candidates_tokens_details)
  return {
    inputTokens: sum(prompt, count('toolUsePromptTokenCount', 'tool_use_prompt_token_count')),
    outputTokens: sum(count('candidatesTokenCount', 'candidates_token_count'), thoughts),
    totalTokens: total,
    cachedInputTokens: count('cachedContentTokenCount', 'cached_content_token_count'),
    reasoningTokens: thoughts,
    inputTextTokens: into?.get('TEXT'),
    inputImageTokens: into?.get('IMAGE'),
    inputAudioTokens: into?.get('AUDIO'),
    outputTextTokens: out?.get('TEXT'),
    outputImageTokens: out?.get('IMAGE'),
    outputAudioTokens: out?.get('AUDIO'),
    providerInputTokens: prompt,
    providerTotalTokens: total,
  }
}

/** The final usage of a response. Google omits zeros: a blocked prompt has no count of its candidates. */
export const finalUsage = (usage: Usage | undefined): Usage | undefined =>
  usage?.inputTokens === undefined || usage.outputTokens !== undefined ? usage : { ...usage, outputTokens: 0 }

/** Encodes `usageMetadata`; unknown figures are omitted. */
export const usageMetadata = (usage: Usage): JsonObject => {
  const { inputTokens, outputTokens, reasoningTokens, totalTokens } = usage
  const candidates =
    outputTokens === undefined ? undefined : Math.max(0, outputTokens - (reasoningTokens ?? 0))
  return defined({
    promptTokenCount: inputTokens,
    candidatesTokenCount: candidates,
    thoughtsTokenCount: reasoningTokens,
    totalTokenCount: totalTokens ?? sum(inputTokens, outputTokens),
    cachedContentTokenCount: usage.cachedInputTokens,
    promptTokensDetails: details(usage.inputTextTokens, usage.inputImageTokens, usage.inputAudioTokens),
    candidatesTokensDetails: details(
      usage.outputTextTokens,
      usage.outputImageTokens,
      usage.outputAudioTokens,
    ),
  })
}

const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : a + (b ?? 0)

/** Decodes a list of `ModalityTokenCount`. */
const modalitiesIn = (value: unknown): ReadonlyMap<string, number> | undefined => {
  if (!Array.isArray(value)) return undefined
  const counts = new Map<string, number>()
  for (const item of value) {
    const { modality, tokenCount, token_count: count = tokenCount } = jsonObjectIn(item) ?? {}
    if (typeof modality === 'string' && typeof count === 'number') counts.set(modality, count)
  }
  return counts
}

const details = (
  text: number | undefined,
  image: number | undefined,
  audio: number | undefined,
): readonly JsonObject[] | undefined => {
  const list = [
    ['TEXT', text],
    ['IMAGE', image],
    ['AUDIO', audio],
  ] as const
  const counts = list.flatMap(([modality, tokenCount]) =>
    tokenCount === undefined ? [] : [{ modality, tokenCount }],
  )
  return counts.length === 0 ? undefined : counts
}
