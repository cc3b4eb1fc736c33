import { defaults } from '../../../config/defaults.ts'
import {
  duration,
  exactlyOne,
  flag,
  formatted,
  listOf,
  mapOf,
  ours,
  type Properties,
  record,
  ref,
  type SchemaNode,
  text,
  words,
} from '../../../config/schema/builders.ts'
import { bodyExpressions, bodyFields } from './model.ts'

const name = (description: string): SchemaNode => text(description, { minLength: 1 })
const model = name('The model to ask it for, whatever the client asks for.')

const moderated = (what: string): SchemaNode =>
  record(
    what,
    { mode: words('Whether it is only judged (`score`), or refused as well (`block`).', ['score', 'block']) },
    { required: ['mode'] },
  )

const moderation = record(
  'Has OpenAI moderate what its models are asked and what they answer, in conversations (`completions`, `responses`), in place of what the client asks for.',
  {
    model: text('The model that moderates.', { minLength: 1, default: defaults.llm.guards.moderationModel }),
    policy: record('What becomes of it.', {
      input: moderated('What is asked.'),
      output: moderated('What is answered.'),
    }),
  },
)

const kinds: Properties = {
  openAI: record('OpenAI.', { model, moderation }),
  anthropic: record('Anthropic.', { model }),
  gemini: record('Google Gemini.', { model }),
  vertex: record(
    'Google Vertex AI.',
    { model, region: name('The region. Default: `global`.'), projectId: name('The project.') },
    { required: ['projectId'] },
  ),
  bedrock: record(
    'Amazon Bedrock.',
    {
      model,
      region: name('The region.'),
      guardrailIdentifier: name('A guardrail of its own to apply.'),
      guardrailVersion: name('The version of that guardrail.'),
    },
    { required: ['region'] },
  ),
  azure: record(
    'Azure OpenAI, or Azure AI Foundry.',
    {
      model,
      resourceName: name('The resource.'),
      resourceType: words('The kind of resource.', ['openAI', 'foundry', 'aiServices']),
      apiVersion: text('The version of the interface: `v1`, `preview` or a date.', {
        minLength: 1,
        default: defaults.llm.azureApiVersion,
      }),
      projectName: name('The project, for `foundry`. Default: the resource.'),
    },
    { required: ['resourceName', 'resourceType'] },
  ),
  copilot: record('GitHub Copilot.', { model }),
  custom: ref('LlmCustomProvider'),
  mock: ref('LlmMockProvider'),
}

const provider = record(
  'Who serves language models, and how it is reached.',
  {
    name: name('Its name.'),
    provider: ref('AiProviderKind'),
    hostOverride: formatted(
      'staticTarget',
      'Another host and port, without TLS unless `backendTLS` says otherwise. Paths are those of the client, unless `pathPrefix` is there.',
    ),
    pathOverride: formatted('requestTarget', 'In place of every path.'),
    pathPrefix: formatted('absolutePath', 'In place of what its paths begin with.'),
    tokenize: flag('Whether tokens of requests are counted before the call.', false),
    policies: ref('BackendPolicies'),
    firstTokenTimeout: ours(
      duration(
        'How long the first token of a stream may take. Another provider is tried then, if there is one.',
      ),
    ),
  },
  { required: ['name', 'provider'] },
)

const groups = record(
  'Providers in groups: those of a group are equals, and a later group is asked when the ones before it fail.',
  {
    groups: listOf(
      record(
        'Providers that are equals.',
        { providers: listOf(ref('AiProvider'), 'The providers.', { minItems: 1 }) },
        { required: ['providers'] },
      ),
      'The groups, in order of preference.',
      { minItems: 1 },
    ),
  },
  { required: ['groups'] },
)

const message = record(
  'A message.',
  { role: name('Who says it, such as `system` or `user`.'), content: text('What is said.') },
  { required: ['role', 'content'] },
)

const policy = record('How requests to language models are understood, and what is changed about them.', {
  routes: mapOf(
    words('What requests are.', [
      'completions',
      'messages',
      'responses',
      'generateContent',
      'embeddings',
      'rerank',
      'anthropicTokenCount',
      'geminiCountTokens',
      'realtime',
      'models',
      'detect',
      'passthrough',
      'converse',
      'invoke',
    ]),
    'What requests are, by the end of their path: the longest end that fits counts, and `*` is every path. Default: all are `completions`.',
    { propertyNames: { minLength: 1 } },
  ),
  defaults: bodyFields('Fields of the body to set where they are absent.'),
  overrides: bodyFields('Fields of the body to set in any case.'),
  transformations: bodyExpressions(
    'Fields of the body to compute. An expression that fails, or gives null, removes the field.',
  ),
  finalTransformations: bodyExpressions(
    'Fields of the body to compute once it is in the format of the provider.',
  ),
  modelAliases: mapOf(
    name('The model that is meant.'),
    'Other names of models. `*` may stand at the beginning or the end of a name.',
  ),
  prompts: record('Messages around those of the client.', {
    prepend: listOf(ref('AiMessage'), 'Before them.'),
    append: listOf(ref('AiMessage'), 'After them.'),
  }),
  promptCaching: ref('LlmPromptCaching'),
  promptGuard: ref('LlmGuards'),
})

/** Definitions about language models as backends of routes. */
export const aiDefinitions: Properties = {
  AiProviderKind: record('One of these.', kinds, exactlyOne(...Object.keys(kinds))),
  AiProvider: provider,
  AiGroups: groups,
  AiBackend: {
    description: 'Language models: one provider, or several in groups.',
    type: 'object',
    if: { type: 'object', required: ['groups'] },
    then: ref('AiGroups'),
    else: ref('AiProvider'),
  },
  AiMessage: message,
  AiPolicy: policy,
}
