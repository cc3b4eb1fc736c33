import { defaults } from '../../../config/defaults.ts'
import { llmPresets } from '../../../protocols/llm/providers/presets.ts'
import {
  duration,
  either,
  exactlyOne,
  flag,
  formatted,
  listOf,
  ours,
  type Properties,
  record,
  ref,
  text,
  words,
} from '../../../config/schema/builders.ts'

const name = (description: string) => text(description, { minLength: 1 })

const format = record(
  'An API format that a provider supports.',
  {
    type: words('Format.', [
      'completions',
      'messages',
      'responses',
      'embeddings',
      'anthropicTokenCount',
      'generateContent',
      'geminiCountTokens',
      'realtime',
      'rerank',
    ]),
    path: formatted('requestTarget', 'Path. Default: the usual path of the format.'),
  },
  { required: ['type'] },
)

/** Fields of a custom provider. */
const customProvider = record(
  'A provider with a custom set of formats.',
  {
    model: name('Model sent to the provider, replacing the model in the request.'),
    providerOverride: name('Provider name in telemetry.'),
    formats: listOf(ref('LlmFormat'), 'Supported formats, in order of preference.', { minItems: 1 }),
  },
  { required: ['formats'] },
)

/** A provider that replies by itself, for experiments and tests. */
const mockProvider = ours(
  record('Built-in mock provider that replies without a network, for experiments and tests.', {
    model: name('Model name in responses, replacing the model in the request.'),
    formats: listOf(ref('LlmMockFormat'), 'Supported formats. Default: all.', {
      minItems: 1,
    }),
  }),
)

const mockFormat = words('Format.', [
  'completions',
  'messages',
  'responses',
  'generateContent',
  'embeddings',
  'rerank',
  'anthropicTokenCount',
  'geminiCountTokens',
])

/** Providers with an API of their own, by their names in models. */
const KNOWN = ['openai', 'openAI', 'anthropic', 'gemini', 'vertex', 'bedrock', 'azure', 'copilot', 'mock']

const provider = either(
  'Provider: a name, a reference to `providers`, or a custom provider. `mock` replies without a network.',
  words('Provider name.', [...KNOWN, ...Object.keys(llmPresets)]),
  record(
    'A reference to `providers`, or a custom provider.',
    {
      reference: name('Name of an entry of `providers`.'),
      custom: ref('LlmCustomProvider'),
      mock: ref('LlmMockProvider'),
    },
    exactlyOne('reference', 'custom', 'mock'),
  ),
)

const params = record('Connection parameters of the provider.', {
  model: name('Model sent to the provider. Default: the model in the request.'),
  apiKey: ref('SecretText', 'API key of the provider.'),
  awsRegion: name('AWS region. Required for `bedrock`.'),
  awsGuardrailIdentifier: ours(name('Identifier of a guardrail of `bedrock`.')),
  awsGuardrailVersion: ours(name('Version of the guardrail.')),
  vertexRegion: name('Google Cloud region. Default: `global`.'),
  vertexProject: name('Google Cloud project ID. Required for `vertex`.'),
  azureResourceName: name('Azure resource name. Required for `azure`.'),
  azureResourceType: words('Azure resource type. Required for `azure`.', ['openAI', 'foundry', 'aiServices']),
  azureApiVersion: text('Azure API version: `v1`, `preview` or a date.', {
    minLength: 1,
    default: defaults.llm.azureApiVersion,
  }),
  azureProjectName: name('Azure project name, for `foundry`. Default: the resource name.'),
  baseUrl: formatted(
    'baseUrl',
    'Base URL: scheme, host and path prefix, such as `https://api.openai.com/v1`. With `https`, the certificate must be publicly trusted unless `tls` overrides it.',
  ),
  hostOverride: formatted(
    'staticTarget',
    'Host and port override. TLS is used only with `tls`. Paths are those of the client unless `pathPrefix` is set. Prefer `baseUrl`.',
  ),
  service: ours(
    ref('ServiceReference', 'Service that is the provider, instead of `hostOverride` or `baseUrl`.'),
  ),
  pathOverride: formatted('requestTarget', 'Replaces the path of every request. Prefer `baseUrl`.'),
  pathPrefix: formatted(
    'absolutePath',
    "Replaces the leading part of the provider's paths. Prefer `baseUrl`.",
  ),
  tokenize: flag('Whether request tokens are counted before the call.', false),
  requestTimeout: ours(
    duration(
      'Timeout of one attempt until the response headers arrive. After it, the next provider is tried if there is one.',
    ),
  ),
  firstTokenTimeout: ours(
    duration(
      'Timeout for the first token of a stream. After it, the next provider is tried if there is one.',
    ),
  ),
})

/** Definitions of providers. */
export const llmProviderDefinitions: Properties = {
  LlmFormat: format,
  LlmMockFormat: mockFormat,
  LlmCustomProvider: customProvider,
  LlmMockProvider: mockProvider,
  LlmModelProvider: provider,
  LlmParams: params,
}
