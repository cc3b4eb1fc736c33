import {
  cel,
  flag,
  formatted,
  listOf,
  mapOf,
  type Properties,
  record,
  ref,
  text,
  whole,
  words,
} from '../../../config/schema/builders.ts'
import { defaults } from '../../../config/defaults.ts'

const name = (description: string) => text(description, { minLength: 1 })

/** JSON values by field of a body. */
export const bodyFields = (description: string) => ({
  type: 'object',
  description,
  additionalProperties: true,
})

/** Expressions by field of a body. */
export const bodyExpressions = (description: string) => mapOf(cel('Gives the value.'), description)

/** Fields that models and reusable providers have in common. */
const common: Properties = {
  defaults: bodyFields('Fields of the body to set where they are absent.'),
  overrides: bodyFields('Fields of the body to set in any case.'),
  transformation: bodyExpressions(
    'Fields of the body to compute. An expression that fails, or gives null, removes the field.',
  ),
  requestHeaders: ref('HeaderModifier', 'Changes headers of requests to the provider.'),
  responseHeaders: ref('HeaderModifier', 'Changes headers of its answers.'),
  tls: ref('UpstreamTls'),
  auth: ref('BackendAuth', 'How the gateway shows the provider who it is. In place of `params.apiKey`.'),
  health: ref('Health'),
  backendTunnel: ref('BackendTunnel'),
  promptCaching: ref('LlmPromptCaching'),
}

const promptCaching = record(
  'Marks where prompts may be cached, for providers that want to be told (Anthropic, Bedrock).',
  {
    cacheSystem: flag('Whether the system prompt is marked.', defaults.llm.promptCaching.cacheSystem),
    cacheMessages: flag('Whether the messages are.', defaults.llm.promptCaching.cacheMessages),
    cacheTools: flag('Whether the tools are.', defaults.llm.promptCaching.cacheTools),
    minTokens: {
      ...whole('Prompts that are shorter, by a rough estimate, are not marked.', 0),
      default: defaults.llm.promptCaching.minTokens,
    },
    cacheMessageOffset: {
      ...whole('How many messages before the second-to-last one the mark is put, the first one at most.', 0),
      default: defaults.llm.promptCaching.cacheMessageOffset,
    },
  },
)

const model = record(
  'A model by name or pattern, and who serves it.',
  {
    id: name('What identifies it. Default: its name.'),
    name: formatted('modelPattern', 'The name that clients ask for. `*` may stand at its beginning or end.'),
    visibility: words(
      'Whether clients may ask for it; internal models are reached through virtual models only.',
      ['public', 'internal'],
      'public',
    ),
    provider: ref('LlmModelProvider'),
    params: ref('LlmParams'),
    passthrough: words(
      'What is done with requests that no format is known for, by the end of their path, and with their answers. They pass as they are; `detect` looks for the usage in answers, `opaque`, the default, does not.',
      ['detect', 'opaque'],
    ),
    authorization: ref('Authorization', 'Rules about who may use it.'),
    ...common,
    backendTLS: ref('UpstreamTls', 'The same as `tls`.'),
    finalTransformation: bodyExpressions(
      'Fields of the body to compute once it is in the format of the provider.',
    ),
    guardrails: ref('LlmGuards', 'Its own guards, after those of all models.'),
    matches: listOf(
      record('Conditions that must all hold.', {
        headers: listOf(
          record(
            'A condition on one header.',
            {
              name: formatted('headerOrPseudo', 'Name of the header.'),
              value: ref('ValueMatch'),
            },
            { required: ['name', 'value'] },
          ),
          'Conditions on headers.',
        ),
      }),
      'Requests it is meant for: any of these.',
    ),
  },
  { required: ['name', 'provider'], 'x-atMostOneOf': [['tls', 'backendTLS']] },
)

const provider = record(
  'A provider that models refer to.',
  {
    name: name('Its name.'),
    provider: ref('LlmModelProvider'),
    params: ref('LlmParams'),
    defaults: record('What its models begin with.', common),
  },
  { required: ['name', 'provider'] },
)

/** Definitions about models by name. */
export const llmModelDefinitions: Properties = {
  LlmPromptCaching: promptCaching,
  LlmModel: model,
  LlmProvider: provider,
}
