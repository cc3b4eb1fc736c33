import type { Format } from './format.ts'

/**
 * The formats of a provider by which a client's format can be served: the better ones first, and equals together, among
 * which the provider's own order decides. Other combinations are refused, when the configuration is loaded or on the
 * request.
 *
 * @example
 * translations.generateContent // [['generateContent'], ['completions']]
 */
export const translations: Readonly<Record<Format, readonly (readonly Format[])[]>> = {
  // Gemini's own format says more of its models than its compatible one, which is why the providers that have both list
  // it first. Who lists `completions` first gets it unchanged.
  completions: [['generateContent', 'completions'], ['messages'], ['converse']],
  messages: [['messages'], ['completions'], ['responses'], ['converse']],
  responses: [['responses'], ['completions'], ['messages'], ['converse']],
  generateContent: [['generateContent'], ['completions']],
  // Its streams are frames of AWS, which are written for nobody else.
  converse: [['converse']],
  embeddings: [['embeddings']],
  rerank: [['rerank']],
  anthropicTokenCount: [['anthropicTokenCount']],
  geminiCountTokens: [['geminiCountTokens']],
}

/**
 * The format in which a provider is called for a client; undefined if it supports none that fits.
 *
 * @param client The client's format.
 * @param provider The formats of the provider, in its order of preference.
 * @example
 * upstreamFormat('messages', ['responses', 'completions']) // 'completions'
 * upstreamFormat('generateContent', ['messages']) // undefined
 */
export const upstreamFormat = (client: Format, provider: readonly Format[]): Format | undefined => {
  for (const equals of translations[client]) {
    const best = provider.find((format) => equals.includes(format))
    if (best) return best
  }
  return undefined
}
