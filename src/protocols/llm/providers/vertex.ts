import type { LlmProviderSettings } from '../../../model/llm/llm-backend.ts'
import { jsonObjectIn } from '../../json/json-object.ts'
import type { Format } from '../format.ts'
import type { Members } from '../members/members.ts'
import { pathPart } from '../path-segment.ts'
import { finishGeminiBody } from './gemini-body.ts'
import { geminiMethod } from './gemini-path.ts'
import type { Provider, ProviderCall } from './provider.ts'

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

/** Sets in the body what Anthropic has in headers, and removes fields that Vertex does not support. */
const finishVertexClaude = (body: Members): void => {
  body.set('anthropic_version', 'vertex-2023-10-16')
  body.delete('output_format')
  for (const name of ['system', 'tools', 'messages', 'cache_control']) {
    const value = body.get(name)
    const cleaned = name === 'cache_control' ? withoutScope(value) : withoutCacheScope(value)
    if (cleaned !== value) body.set(name, cleaned)
  }
}

/** Returns the same value if it has no `cache_control.scope` at any depth. */
const withoutCacheScope = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const items = value.map(withoutCacheScope)
    return items.some((item, i) => item !== value[i]) ? items : (value as unknown[])
  }
  const object = jsonObjectIn(value)
  if (!object) return value
  let cleaned = object
  for (const [name, one] of Object.entries(object)) {
    const other = name === 'cache_control' ? withoutScope(one) : withoutCacheScope(one)
    if (other === one) continue
    if (cleaned === object) cleaned = { ...object }
    cleaned[name] = other
  }
  return cleaned
}

const withoutScope = (mark: unknown): unknown => {
  const object = jsonObjectIn(mark)
  if (!object || !('scope' in object)) return mark
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== 'scope'))
}

/** The name of an Anthropic model in Vertex's paths; undefined for other models. */
const vertexClaude = (model: string): string | undefined => {
  const name = withoutPublisher(model, 'anthropic')
  if (name === undefined && !model.startsWith('claude-')) return undefined
  return withDate(name ?? model)
}

/** The name of a Google model in Vertex's paths. */
const vertexGoogleModel = (model: string): string =>
  withoutPublisher(model, 'google') ?? (model.startsWith('models/') ? model.slice('models/'.length) : model)

/** Whether a model has Gemini's own format: embedding models have similar names, but another format. */
const isVertexGemini = (model: string): boolean => {
  const name = vertexGoogleModel(model)
  return (name.startsWith('gemini-') || name.startsWith('gemini@')) && !name.startsWith('gemini-embedding')
}

/** The name after `publishers/P/models/` or `P/`. */
const withoutPublisher = (model: string, publisher: string): string | undefined => {
  const long = `publishers/${publisher}/models/`
  const at = model.indexOf(long)
  if (at >= 0) return model.slice(at + long.length)
  return model.startsWith(`${publisher}/`) ? model.slice(publisher.length + 1) : undefined
}

/** Anthropic writes versions as `-20241022`, Vertex as `@20241022`. */
const withDate = (name: string): string => name.replace(/-(\d{8})$/, '@$1')
