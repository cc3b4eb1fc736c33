import type { LlmProviderSettings } from '../../../model/llm/llm-backend.ts'
import type { Format } from '../format.ts'
import { pathPart } from '../path-segment.ts'
import { finishGeminiBody } from './gemini-body.ts'
import { geminiMethod } from './gemini-path.ts'
import type { Provider, ProviderCall } from './provider.ts'
import { finishVertexClaude } from './vertex-body.ts'
import { isVertexGemini, vertexClaude, vertexGoogleModel } from './vertex-model.ts'

/** Google's Vertex AI: models of Google and Anthropic, and others in OpenAI's format. */
export const vertex: Provider = {
  base: '',
  address: ({ region }, format) => ({
    host: format === 'rerank' ? 'discoveryengine.googleapis.com' : hostOf(region),
    port: 443,
    tls: true,
  }),
  formats: (model) => {
    if (vertexClaude(model) !== undefined) return claudeFormats
    return isVertexGemini(model) ? geminiFormats : otherFormats
  },
  path: (call, settings) => {
    const { region = 'global', project = '' } = settings
    const prefix = `/v1/projects/${project}/locations/${region || 'global'}`
    const { end, query } = endOf(call)
    return { base: '', rest: prefix + end, query }
  },
  finishBody: (body, { format, model, streaming }) => {
    switch (format) {
      case 'messages':
        finishVertexClaude(body)
        body.delete('model')
        break
      case 'anthropicTokenCount':
        finishVertexClaude(body)
        body.set('model', vertexClaude(model) ?? model)
        break
      case 'embeddings':
        body.delete('model')
        break
      default:
        finishGeminiBody(body, { format, model, streaming })
    }
  },
}

const claudeFormats: readonly Format[] = ['messages', 'anthropicTokenCount']
const geminiFormats: readonly Format[] = [
  'generateContent',
  'completions',
  'embeddings',
  'rerank',
  'geminiCountTokens',
]
const otherFormats: readonly Format[] = ['completions', 'embeddings', 'rerank']

const hostOf = (region: LlmProviderSettings['region']): string => {
  if (region === undefined || region === '' || region === 'global') return 'aiplatform.googleapis.com'
  return region === 'us' || region === 'eu'
    ? `aiplatform.${region}.rep.googleapis.com`
    : `${region}-aiplatform.googleapis.com`
}

/** The path after project and location. */
const endOf = (call: ProviderCall): { readonly end: string; readonly query?: string | undefined } => {
  const { format, model, streaming } = call
  switch (format) {
    case 'messages': {
      const method = streaming ? 'streamRawPredict' : 'rawPredict'
      return { end: `/publishers/anthropic/models/${pathPart(vertexClaude(model) ?? model)}:${method}` }
    }
    case 'anthropicTokenCount':
      return { end: '/publishers/anthropic/models/count-tokens:rawPredict' }
    case 'generateContent':
    case 'geminiCountTokens': {
      const { method, query } = geminiMethod(call)
      return { end: `/publishers/google/models/${pathPart(vertexGoogleModel(model))}:${method}`, query }
    }
    case 'embeddings':
      return { end: `/publishers/google/models/${pathPart(vertexGoogleModel(model))}:predict` }
    case 'rerank':
      return { end: '/rankingConfigs/default_ranking_config:rank' }
    default:
      return { end: '/endpoints/openapi/chat/completions' }
  }
}
