/**
 * Fields of a ProxyModel that say which model it is, and who serves it.
 *
 * @module
 */
import { type ObjectForm, ruledField } from '../../../controller/schema/field.ts'
import { objectField } from '../../../controller/schema/object-fields.ts'
import { enumField } from '../../../controller/schema/scalar-fields.ts'
import { hasField, type ValidationRule, validationRule } from '../../../controller/schema/validation-rule.ts'
import { longStringField, urlField } from '../../../controller/schema/value-fields.ts'
import {
  azureFields,
  azureProjectRule,
  bedrockFields,
  customFields,
  vertexFields,
} from './provider-fields.ts'

/** The providers of a ProxyModel, with their names in files. */
export const modelProviders = {
  Anthropic: 'anthropic',
  Azure: 'azure',
  Baseten: 'baseten',
  Bedrock: 'bedrock',
  Cerebras: 'cerebras',
  Cohere: 'cohere',
  Custom: 'custom',
  Deepinfra: 'deepinfra',
  Deepseek: 'deepseek',
  Fireworks: 'fireworks',
  Gemini: 'gemini',
  Groq: 'groq',
  Huggingface: 'huggingface',
  Mistral: 'mistral',
  Ollama: 'ollama',
  OpenAI: 'openAI',
  Openrouter: 'openrouter',
  TogetherAI: 'togetherai',
  VertexAI: 'vertex',
  XAI: 'xai',
} as const

/** `match` of a ProxyModel. */
export const modelMatchField = objectField('Which requests the model is for.', {
  model: longStringField(
    'Name that clients request; one `*` may begin or end it. By default that of the object.',
    {
      rules: [
        validationRule(
          'model may have one *, at its start or end',
          "self.matches('^([*][^*]*|[^*]*[*]|[^*]*)$')",
        ),
      ],
    },
  ),
})

/** Fields of a model that a provider serves. They go with `modelProviderRules`. */
export const modelProviderFields = {
  provider: enumField(
    'Provider that serves the model.',
    Object.keys(modelProviders) as (keyof typeof modelProviders)[],
  ),
  baseURL: ruledField(
    urlField('Scheme, host and path prefix of the provider, in place of its own.'),
    validationRule(
      'baseURL must not be an address of the proxy itself, nor one that is local to a link',
      "!self.matches('^https?://(?i:localhost|127[.][0-9.]+|169[.]254[.][0-9.]+|[[]::1[]]|[[]fe80:[^]]*[]])(:[0-9]*)?(/.*)?$')",
    ),
  ),
  azure: objectField('The resource, for Azure.', azureFields, { rules: [azureProjectRule] }),
  bedrock: objectField('The region, for Bedrock.', bedrockFields),
  custom: objectField('What the provider understands, for Custom.', customFields),
  vertexai: objectField('The project, for VertexAI.', vertexFields),
}

/** What these fields hold. */
export type ModelProviderForm = ObjectForm<typeof modelProviderFields>

/** What a provider needs is given, and nothing that belongs to another. */
export const modelProviderRules: readonly ValidationRule[] = [
  ...(
    [
      ['azure', 'Azure'],
      ['bedrock', 'Bedrock'],
      ['custom', 'Custom'],
      ['vertexai', 'VertexAI'],
    ] as const
  ).map(([name, provider]) =>
    validationRule(
      `${name} must be set with provider ${provider}, and with no other`,
      `${hasField(name)} == (has(self.provider) && self.provider == '${provider}')`,
    ),
  ),
  validationRule('baseURL can only be set with provider', '!has(self.baseURL) || has(self.provider)'),
  validationRule(
    'baseURL must be set with provider Ollama',
    "!has(self.provider) || self.provider != 'Ollama' || has(self.baseURL)",
  ),
  validationRule(
    'provider Custom must have one of baseURL and custom.backendRef',
    '!has(self.custom) || has(self.baseURL) != has(self.custom.backendRef)',
  ),
]
