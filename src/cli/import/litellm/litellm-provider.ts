import type { LlmModelProvider, LlmParams } from '../../../config/schema/file-types.gen.ts'
import type { ImportReport } from '../import-report.ts'
import type { SourceValue } from '../source-value.ts'
import { litellmText } from './litellm-secret.ts'
import { variable } from '../config-text.ts'

/** The provider of a deployment, and the model as the provider names it. */
export interface LitellmProvider {
  readonly provider: LlmModelProvider
  readonly params: LlmParams
  /** Name in telemetry and in catalogs of prices. */
  readonly telemetryName: string
  /** The prefix of names such as `openai/*`, which the provider does not expect. */
  readonly prefix: string
  readonly model: string
}

/** The provider of `litellm_params`; undefined, and reported, if there is none. */
export const litellmProvider = (params: SourceValue, report: ImportReport): LitellmProvider | undefined => {
  const written = params.field('model')?.text ?? ''
  const custom = params.field('custom_llm_provider')?.text
  const base = params.field('api_base') ?? params.field('base_url')
  const baseUrl = base?.text === undefined ? undefined : litellmText(base.text).replace(/\/+$/, '')
  const slash = written.indexOf('/')
  const prefix = custom ?? (slash > 0 ? written.slice(0, slash) : impliedPrefix(written))
  const model = slash > 0 && custom === undefined ? written.slice(slash + 1) : written
  const result = { model, prefix: slash > 0 ? `${prefix}/` : '' }
  const named = (name: NamedProvider, telemetryName: string, more: LlmParams = {}): LitellmProvider => ({
    ...result,
    provider: name,
    telemetryName,
    params: { ...more, ...(baseUrl === undefined ? {} : { baseUrl }) },
  })
  const preset = PRESETS[prefix]
  if (preset) return named(preset, preset, ollamaBase(preset, baseUrl))
  switch (prefix) {
    case 'openai':
    case 'text-completion-openai':
      return baseUrl === undefined || baseUrl.includes('api.openai.com')
        ? named('openai', 'openai')
        : { ...result, ...compatible(baseUrl) }
    case 'anthropic':
      return {
        ...named('anthropic', 'anthropic'),
        params: baseUrl === undefined ? {} : { baseUrl: baseUrl.endsWith('/v1') ? baseUrl : `${baseUrl}/v1` },
      }
    case 'gemini':
      return named('gemini', 'gcp.gemini')
    case 'github_copilot':
      return named('copilot', 'copilot')
    case 'vertex_ai':
    case 'vertex_ai_beta': {
      const project = textOf(params, 'vertex_project')
      const region = textOf(params, 'vertex_location')
      return {
        ...named('vertex', 'gcp.vertex_ai', {
          vertexProject: project ?? variable('GOOGLE_CLOUD_PROJECT'),
          ...(region === undefined ? {} : { vertexRegion: region }),
        }),
      }
    }
    case 'bedrock': {
      const region = textOf(params, 'aws_region_name') ?? variable('AWS_REGION')
      return {
        ...named('bedrock', 'aws.bedrock', { awsRegion: region }),
        model: model.replace(/^(?:converse|invoke)\//, ''),
      }
    }
    case 'azure':
    case 'azure_ai':
      return azure(params, named('azure', 'azure'), base, report)
    default:
      if (baseUrl !== undefined) return { ...result, ...compatible(baseUrl) }
      report.dropped(
        params.field('model')?.at ?? params.at,
        `model ${written}`,
        `the provider ${prefix === '' ? 'of this model' : prefix} is not known`,
        'a provider custom with formats and params.baseUrl reaches any server that speaks one of the formats',
      )
      return undefined
  }
}

type NamedProvider = Extract<LlmModelProvider, string>

const PRESETS: Readonly<Record<string, NamedProvider>> = {
  groq: 'groq',
  mistral: 'mistral',
  deepseek: 'deepseek',
  openrouter: 'openrouter',
  together_ai: 'togetherai',
  fireworks_ai: 'fireworks',
  xai: 'xai',
  cerebras: 'cerebras',
  deepinfra: 'deepinfra',
  huggingface: 'huggingface',
  baseten: 'baseten',
  cohere: 'cohere',
  cohere_chat: 'cohere',
  ollama: 'ollama',
  ollama_chat: 'ollama',
}

/** LiteLLM calls the native API of Ollama, this gateway the one that is like OpenAI's. */
const ollamaBase = (provider: NamedProvider, baseUrl: string | undefined): LlmParams =>
  provider === 'ollama' && baseUrl !== undefined && !baseUrl.endsWith('/v1') ? { pathPrefix: '/v1' } : {}

/** A server that speaks like OpenAI. */
const compatible = (baseUrl: string): Pick<LitellmProvider, 'provider' | 'params' | 'telemetryName'> => ({
  provider: { custom: { formats: [{ type: 'completions' }, { type: 'embeddings' }] } },
  params: { baseUrl },
  telemetryName: 'custom',
})

const impliedPrefix = (model: string): string => {
  if (/^(?:gpt-|o\d|chatgpt|text-embedding|omni-moderation|\*$)/.test(model)) return 'openai'
  if (model.startsWith('claude')) return 'anthropic'
  if (model.startsWith('gemini')) return 'vertex_ai'
  return model.startsWith('command') ? 'cohere' : ''
}

const textOf = (params: SourceValue, name: string): string | undefined => {
  const text = params.field(name)?.text
  return text === undefined ? undefined : litellmText(text)
}

const azure = (
  params: SourceValue,
  provider: LitellmProvider,
  base: SourceValue | undefined,
  report: ImportReport,
): LitellmProvider => {
  const { baseUrl: _, ...rest } = provider.params
  const version = textOf(params, 'api_version')
  const address = base?.text ?? ''
  const match =
    /^https:\/\/([\w-]+)\.(openai\.azure\.com|services\.ai\.azure\.com|cognitiveservices\.azure\.com)/.exec(
      address,
    )
  if (!match)
    report.changed(
      base?.at ?? params.at,
      base?.path ?? params.path,
      'the name of the Azure resource is not in the file',
      'set AZURE_RESOURCE_NAME',
    )
  const isOpenAi = match === null || match[2] === 'openai.azure.com'
  return {
    ...provider,
    params: {
      ...rest,
      azureResourceName: match?.[1] ?? variable('AZURE_RESOURCE_NAME'),
      azureResourceType: isOpenAi ? 'openAI' : 'aiServices',
      ...(version === undefined ? {} : { azureApiVersion: version }),
    },
  }
}
