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
  'A format that a provider understands.',
  {
    type: words('The format.', [
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
    path: formatted('requestTarget', 'Its path. Default: the usual one of the format.'),
  },
  { required: ['type'] },
)

/** The fields of a custom provider. */
const customProvider = record(
  'A provider that is described here.',
  {
    model: name('The model to ask it for, whatever the client asks for.'),
    providerOverride: name('What telemetry calls it.'),
    formats: listOf(ref('LlmFormat'), 'What it understands, in order of preference.', { minItems: 1 }),
  },
  { required: ['formats'] },
)

/** A provider without a network, for trials and tests. */
const mockProvider = ours(
  record('Answers by itself, without any network: for trying things out, and for tests.', {
    model: name('The model to answer as, whatever the client asks for.'),
    formats: listOf(ref('LlmMockFormat'), 'What it understands. Default: everything it can.', {
      minItems: 1,
    }),
  }),
)

const mockFormat = words('A format.', [
  'completions',
  'messages',
  'responses',
  'generateContent',
  'embeddings',
  'rerank',
  'anthropicTokenCount',
  'geminiCountTokens',
])

/** Providers with their own API, by their names in models. */
const KNOWN = ['openai', 'openAI', 'anthropic', 'gemini', 'vertex', 'bedrock', 'azure', 'copilot', 'mock']

const provider = either(
  'Who serves it: a provider by name, one of `providers`, or one that is described here. `mock` answers by itself, without any network.',
  words('A provider by name.', [...KNOWN, ...Object.keys(llmPresets)]),
  record(
    'One of `providers`, or one that is described here.',
    {
      reference: name('One of `providers`, by name.'),
      custom: ref('LlmCustomProvider'),
      mock: ref('LlmMockProvider'),
    },
    exactlyOne('reference', 'custom', 'mock'),
  ),
)

const params = record('How the provider is reached, and what it is asked for.', {
  model: name('The model to ask it for. Default: the one the client asks for.'),
  apiKey: ref('SecretText', 'The key that it wants.'),
  awsRegion: name('The region at AWS. Needed for `bedrock`.'),
  vertexRegion: name('The region at Google. Default: `global`.'),
  vertexProject: name('The project at Google. Needed for `vertex`.'),
  azureResourceName: name('The resource at Azure. Needed for `azure`.'),
  azureResourceType: words('The kind of resource at Azure. Needed for `azure`.', [
    'openAI',
    'foundry',
    'aiServices',
  ]),
  azureApiVersion: text('The version of the interface at Azure: `v1`, `preview` or a date.', {
    minLength: 1,
    default: defaults.llm.azureApiVersion,
  }),
  azureProjectName: name('The project at Azure, for `foundry`. Default: the resource.'),
  baseUrl: formatted(
    'baseUrl',
    'Where it is, with what all of its paths begin with, such as `https://api.openai.com/v1`. With `https`, its certificate must be publicly trusted unless `tls` says otherwise.',
  ),
  hostOverride: formatted(
    'staticTarget',
    'Another host and port, without TLS unless `tls` says otherwise. Paths are those of the client, unless `pathPrefix` is there. Use `baseUrl`.',
  ),
  pathOverride: formatted('requestTarget', 'In place of every path. Use `baseUrl`.'),
  pathPrefix: formatted('absolutePath', 'In place of what its paths begin with. Use `baseUrl`.'),
  tokenize: flag('Whether tokens of requests are counted before the call.', false),
  requestTimeout: ours(
    duration(
      'How long an attempt may take until its answer begins. Another provider is tried then, if there is one.',
    ),
  ),
  firstTokenTimeout: ours(
    duration(
      'How long the first token of a stream may take. Another provider is tried then, if there is one.',
    ),
  ),
})

/** Definitions about providers of language models. */
export const llmProviderDefinitions: Properties = {
  LlmFormat: format,
  LlmMockFormat: mockFormat,
  LlmCustomProvider: customProvider,
  LlmMockProvider: mockProvider,
  LlmModelProvider: provider,
  LlmParams: params,
}
