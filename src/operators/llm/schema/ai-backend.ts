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
const model = name('Model sent to the provider, replacing the model in the request.')

const moderated = (what: string): SchemaNode =>
  record(
    what,
    {
      mode: words('`score` only scores the content; `block` also refuses flagged content.', [
        'score',
        'block',
      ]),
    },
    { required: ['mode'] },
  )

const moderation = record(
  'Enables OpenAI moderation of prompts and outputs for conversations (`completions`, `responses`). Replaces the moderation settings of the client.',
  {
    model: text('Moderation model.', { minLength: 1, default: defaults.llm.guards.moderationModel }),
    policy: record('Moderation policy.', {
      input: moderated('Moderation of prompts.'),
      output: moderated('Moderation of outputs.'),
    }),
  },
)

const kinds: Properties = {
  openAI: record('OpenAI.', { model, moderation }),
  anthropic: record('Anthropic.', { model }),
  gemini: record('Google Gemini.', { model }),
  vertex: record(
    'Google Vertex AI.',
    { model, region: name('Region. Default: `global`.'), projectId: name('Project ID.') },
    { required: ['projectId'] },
  ),
  bedrock: record(
    'Amazon Bedrock.',
    {
      model,
      region: name('Region.'),
      guardrailIdentifier: name('Identifier of a Bedrock guardrail to apply.'),
      guardrailVersion: name('Version of the guardrail.'),
    },
    { required: ['region'] },
  ),
  azure: record(
    'Azure OpenAI, or Azure AI Foundry.',
    {
      model,
      resourceName: name('Resource name.'),
      resourceType: words('Resource type.', ['openAI', 'foundry', 'aiServices']),
      apiVersion: text('API version: `v1`, `preview` or a date.', {
        minLength: 1,
        default: defaults.llm.azureApiVersion,
      }),
      projectName: name('Project name, for `foundry`. Default: the resource name.'),
    },
    { required: ['resourceName', 'resourceType'] },
  ),
  copilot: record('GitHub Copilot.', { model }),
  custom: ref('LlmCustomProvider'),
  mock: ref('LlmMockProvider'),
}

const provider = record(
  'A language model provider.',
  {
    name: name('Name.'),
    provider: ref('AiProviderKind'),
    hostOverride: formatted(
      'staticTarget',
      'Host and port override. TLS is used only with `backendTLS`. Paths are those of the client unless `pathPrefix` is set.',
    ),
    service: ours(ref('ServiceReference', 'Service that is the provider, instead of `hostOverride`.')),
    pathOverride: formatted('requestTarget', 'Replaces the path of every request.'),
    pathPrefix: formatted('absolutePath', "Replaces the leading part of the provider's paths."),
    tokenize: flag('Whether request tokens are counted before the call.', false),
    policies: ref('BackendPolicies'),
    firstTokenTimeout: ours(
      duration(
        'Timeout for the first token of a stream. After it, the next provider is tried if there is one.',
      ),
    ),
  },
  { required: ['name', 'provider'] },
)

const groups = record(
  'Provider groups in order of preference. A later group is used when the groups before it fail.',
  {
    groups: listOf(
      record(
        'A group of providers that share the load.',
        { providers: listOf(ref('AiProvider'), 'Providers.', { minItems: 1 }) },
        { required: ['providers'] },
      ),
      'Provider groups, in order of preference.',
      { minItems: 1 },
    ),
  },
  { required: ['groups'] },
)

const message = record(
  'A message.',
  { role: name('Role, such as `system` or `user`.'), content: text('Text of the message.') },
  { required: ['role', 'content'] },
)

const policy = record('How requests to language models are parsed and modified.', {
  routes: mapOf(
    words('Request format.', [
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
    'Request formats by path suffix. The longest matching suffix applies; `*` matches every path. Default: all requests are `completions`.',
    { propertyNames: { minLength: 1 } },
  ),
  defaults: bodyFields('Body fields to set if absent.'),
  overrides: bodyFields('Body fields to set, replacing existing values.'),
  transformations: bodyExpressions(
    'Body fields to set by expression. A field whose expression fails or returns null is removed.',
  ),
  finalTransformations: bodyExpressions(
    'Body fields to set by expression after the conversion to the format of the provider.',
  ),
  modelAliases: mapOf(name('Target model.'), 'Model aliases. A name may have `*` at its start or end.'),
  prompts: record('Messages to add to those of the client.', {
    prepend: listOf(ref('AiMessage'), 'Messages to add before.'),
    append: listOf(ref('AiMessage'), 'Messages to add after.'),
  }),
  promptCaching: ref('LlmPromptCaching'),
  promptGuard: ref('LlmGuards'),
})

/** Definitions of language models as backends of routes. */
export const aiDefinitions: Properties = {
  AiProviderKind: record('Provider type; set exactly one field.', kinds, exactlyOne(...Object.keys(kinds))),
  AiProvider: provider,
  AiGroups: groups,
  AiBackend: {
    description: 'Language models: one provider, or provider groups.',
    type: 'object',
    if: { type: 'object', required: ['groups'] },
    then: ref('AiGroups'),
    else: ref('AiProvider'),
  },
  AiMessage: message,
  AiPolicy: policy,
}
