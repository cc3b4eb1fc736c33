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

/** JSON values by body field. */
export const bodyFields = (description: string) => ({
  type: 'object',
  description,
  additionalProperties: true,
})

/** Expressions by body field. */
export const bodyExpressions = (description: string) =>
  mapOf(cel('Expression that returns the value.'), description)

/** Common fields of models and reusable providers. */
const common: Properties = {
  defaults: bodyFields('Body fields to set if absent.'),
  overrides: bodyFields('Body fields to set, replacing existing values.'),
  transformation: bodyExpressions(
    'Body fields to set by expression. A field whose expression fails or returns null is removed.',
  ),
  requestHeaders: ref('HeaderModifier', 'Modifies headers of requests to the provider.'),
  responseHeaders: ref('HeaderModifier', 'Modifies headers of responses from the provider.'),
  tls: ref('UpstreamTls'),
  auth: ref('BackendAuth', 'How the gateway authenticates to the provider. Replaces `params.apiKey`.'),
  health: ref('Health'),
  backendTunnel: ref('BackendTunnel'),
  promptCaching: ref('LlmPromptCaching'),
}

const promptCaching = record(
  'Adds prompt cache markers, for providers that need them (Anthropic, Bedrock).',
  {
    cacheSystem: flag('Whether the system prompt is marked.', defaults.llm.promptCaching.cacheSystem),
    cacheMessages: flag('Whether messages are marked.', defaults.llm.promptCaching.cacheMessages),
    cacheTools: flag('Whether tools are marked.', defaults.llm.promptCaching.cacheTools),
    minTokens: {
      ...whole('Minimum prompt size, in estimated tokens. Shorter prompts are not marked.', 0),
      default: defaults.llm.promptCaching.minTokens,
    },
    cacheMessageOffset: {
      ...whole(
        'Number of messages by which the marker is moved back from the second-to-last message, at most to the first one.',
        0,
      ),
      default: defaults.llm.promptCaching.cacheMessageOffset,
    },
  },
)

const model = record(
  'A model name or pattern and its provider.',
  {
    id: name('Identifier. Default: the name.'),
    name: formatted('modelPattern', 'Model name that clients request. May have `*` at its start or end.'),
    visibility: words(
      'Whether clients can request the model. Internal models are reachable only through virtual models.',
      ['public', 'internal'],
      'public',
    ),
    provider: ref('LlmModelProvider'),
    params: ref('LlmParams'),
    passthrough: words(
      'Handling of requests whose path has no known format; they and their responses are forwarded unchanged. `detect` extracts token usage from responses, `opaque` (default) does not.',
      ['detect', 'opaque'],
    ),
    authorization: ref('Authorization', 'Authorization rules for the model.'),
    ...common,
    backendTLS: ref('UpstreamTls', 'Alias of `tls`.'),
    finalTransformation: bodyExpressions(
      'Body fields to set by expression after the conversion to the format of the provider.',
    ),
    guardrails: ref('LlmGuards', 'Guardrails of the model, after those of all models.'),
    matches: listOf(
      record('Conditions, all of which must match.', {
        headers: listOf(
          record(
            'A header condition.',
            {
              name: formatted('headerOrPseudo', 'Header name.'),
              value: ref('ValueMatch'),
            },
            { required: ['name', 'value'] },
          ),
          'Header conditions.',
        ),
      }),
      'Requests that the model serves: those that match any entry.',
    ),
  },
  { required: ['name', 'provider'], 'x-atMostOneOf': [['tls', 'backendTLS']] },
)

const provider = record(
  'A reusable provider that models refer to.',
  {
    name: name('Name.'),
    provider: ref('LlmModelProvider'),
    params: ref('LlmParams'),
    defaults: record('Default settings of its models.', common),
  },
  { required: ['name', 'provider'] },
)

/** Definitions of models. */
export const llmModelDefinitions: Properties = {
  LlmPromptCaching: promptCaching,
  LlmModel: model,
  LlmProvider: provider,
}
