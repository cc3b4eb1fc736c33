import type { LlmProviderSettings } from '../../../model/llm/llm-backend.ts'
import type { Format } from '../format.ts'
import { pathPart } from '../path-segment.ts'
import { setAnthropicVersion } from './anthropic-headers.ts'
import { renameMaxTokens } from './max-tokens.ts'
import type { Provider, ProviderCall, ProviderPath } from './provider.ts'
import { usualPath } from './default-path.ts'

/** Azure: models of OpenAI; in Foundry also those of Anthropic. */
export const azure: Provider = {
  base: '',
  address: (settings) => ({
    host: `${settings.resourceName ?? ''}.${isFoundry(settings) ? 'services.ai' : 'openai'}.azure.com`,
    port: 443,
    tls: true,
  }),
  formats: (model, settings) => (isFoundry(settings) && isClaude(model) ? claudeFormats : formats),
  path: (call, settings) => {
    const { format, model } = call
    if (isClaudeFormat(format) && isFoundry(settings) && isClaude(model))
      return { base: '', rest: `/anthropic/v1${usualPath(format) ?? ''}` }
    return isFoundry(settings) ? foundryPath(call, settings) : openAiPath(call, settings)
  },
  finishBody: renameMaxTokens,
  finishHeaders: (headers, { format }) => {
    if (isClaudeFormat(format)) setAnthropicVersion(headers)
  },
}

const formats: readonly Format[] = ['responses', 'completions', 'embeddings', 'rerank']
const claudeFormats: readonly Format[] = ['messages', 'anthropicTokenCount']

const isFoundry = ({ resourceType }: LlmProviderSettings): boolean =>
  resourceType === 'foundry' || resourceType === 'aiServices'

const isClaude = (model: string): boolean => model.toLowerCase().startsWith('claude')

const isClaudeFormat = (format: string): boolean => format === 'messages' || format === 'anthropicTokenCount'

const endOf = ({ format }: ProviderCall): string => usualPath(format) ?? '/chat/completions'

const foundryPath = (call: ProviderCall, { project, resourceName }: LlmProviderSettings): ProviderPath => ({
  base: '',
  rest: `/api/projects/${project ?? resourceName ?? ''}/openai/v1${endOf(call)}`,
})

/** Dated versions have a path for each deployment, which is named like the model. */
const openAiPath = (call: ProviderCall, { apiVersion = 'v1' }: LlmProviderSettings): ProviderPath => {
  const end = endOf(call)
  if (apiVersion === 'v1') return { base: '', rest: `/openai/v1${end}` }
  const query = `api-version=${encodeURIComponent(apiVersion)}`
  if (apiVersion === 'preview') return { base: '', rest: `/openai/v1${end}`, query }
  if (call.format === 'responses') return { base: '', rest: `/openai${end}`, query }
  if (call.format === 'realtime')
    return { base: '', rest: `/openai${end}`, query: `${query}&deployment=${encodeURIComponent(call.model)}` }
  return { base: '', rest: `/openai/deployments/${pathPart(call.model)}${end}`, query }
}
