import type { Format } from './format.ts'

/**
 * The formats of a provider into which a client's format can be translated, best first. Equally good ones are grouped;
 * the provider's own order decides among them. Other combinations are refused, when the configuration is loaded or on
 * the request.
 *
 * @example
 * translations.generateContent // [['generateContent'], ['completions']]
 */
export const translations: Readonly<Record<Format, readonly (readonly Format[])[]>> = {
  // Gemini's own format expresses more than its compatible one, so providers that have both list it first. A provider
  // that lists `completions` first gets the request unchanged.
  completions: [['generateContent', 'completions'], ['messages'], ['converse']],
  messages: [['messages'], ['completions'], ['responses'], ['converse']],
  responses: [['responses'], ['completions'], ['messages'], ['converse']],
  generateContent: [['generateContent'], ['completions']],
  // Its streams are AWS event stream frames, which no encoder writes.
  converse: [['converse']],
  embeddings: [['embeddings']],
  rerank: [['rerank']],
  anthropicTokenCount: [['anthropicTokenCount']],
  geminiCountTokens: [['geminiCountTokens']],
}

/**
 * The provider's format for calls in a client's format; undefined if it supports no suitable one.
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
