import type { LlmProviderKind, LlmProviderSettings } from '../../model/llm/llm-backend.ts'
import { cohereEmbeddings } from './embeddings/cohere.ts'
import { novaEmbeddings } from './embeddings/nova.ts'
import { titanEmbeddings } from './embeddings/titan.ts'
import { vertexEmbeddings } from './embeddings/vertex.ts'
import type { Format } from './format.ts'
import { bedrockRerank } from './rerank/bedrock.ts'
import { vertexRerank } from './rerank/vertex.ts'
import { bedrockTokenCount } from './token-count/bedrock.ts'
import type { TranslateCall } from './translated-call.ts'

/**
 * The translation of requests other than conversations for a provider. Undefined where it supports the client's own
 * format: OpenAI's for embeddings, Cohere's for ranking, Anthropic's and Gemini's for counting tokens. Conversations
 * have codecs.
 */
export const translateCall = (
  kind: LlmProviderKind,
  settings: LlmProviderSettings,
  format: Format | 'realtime',
  model: string,
): TranslateCall | undefined => {
  if (kind === 'vertex') return vertexCalls[format]
  if (kind !== 'bedrock') return undefined
  if (format === 'embeddings') return bedrockEmbeddings(model)
  if (format === 'rerank') return bedrockRerank(settings.region ?? '')
  return format === 'anthropicTokenCount' ? bedrockTokenCount : undefined
}

const vertexCalls: Partial<Record<Format | 'realtime', TranslateCall>> = {
  embeddings: vertexEmbeddings,
  rerank: vertexRerank,
}

/** Searches the name, since it may begin with a region or be a full ARN. */
const bedrockEmbeddings = (model: string): TranslateCall => {
  if (model.includes('cohere.')) return cohereEmbeddings
  return model.includes('amazon.nova') ? novaEmbeddings : titanEmbeddings
}
