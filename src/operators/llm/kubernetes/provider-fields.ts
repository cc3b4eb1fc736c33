/**
 * Providers of language models.
 *
 * @module
 */
import { type FormOf, requiredField, ruledField } from '../../../controller/schema/field.ts'
import { listField, objectField } from '../../../controller/schema/object-fields.ts'
import { localBackendRefField } from '../../../controller/schema/reference-fields.ts'
import { enumField, stringField } from '../../../controller/schema/scalar-fields.ts'
import { validationRule } from '../../../controller/schema/validation-rule.ts'
import {
  longStringField,
  shortStringField,
  tinyStringField,
} from '../../../controller/schema/value-fields.ts'

const model = shortStringField('Model, in place of that of the request.')

const moderationModeField = (description: string) =>
  objectField(description, {
    mode: requiredField(enumField('Scores content, or blocks what is flagged.', ['Block', 'Score'])),
  })

const openAiField = objectField('OpenAI.', {
  model,
  moderation: objectField('Moderation by OpenAI, with each request.', {
    model: stringField('Moderation model.', {
      minLength: 1,
      maxLength: 256,
      default: 'omni-moderation-latest',
    }),
    policy: objectField('What is moderated.', {
      input: moderationModeField('Moderation of prompts.'),
      output: moderationModeField('Moderation of responses.'),
    }),
  }),
})

const azureOpenAiField = objectField(
  'OpenAI on Azure, by its endpoint.',
  {
    endpoint: requiredField(shortStringField('Endpoint, such as `name.openai.azure.com`.')),
    deploymentName: shortStringField('Deployment, in place of the model of the request.'),
    apiVersion: tinyStringField('Version of the API: `v1`, `preview` or a date.'),
  },
  {
    rules: [
      validationRule(
        'deploymentName must be set with an apiVersion other than v1',
        "!has(self.apiVersion) || self.apiVersion == 'v1' || has(self.deploymentName)",
      ),
    ],
  },
)

/** A resource of Azure. They go with `azureProjectRule`. */
export const azureFields = {
  resourceName: requiredField(shortStringField('Name of the resource.')),
  resourceType: requiredField(enumField('Type of the resource.', ['Foundry', 'OpenAI'])),
  projectName: shortStringField('Project. By default named like the resource.'),
  apiVersion: tinyStringField('Version of the API: `v1`, `preview` or a date.'),
}

/** Projects are of Foundry. */
export const azureProjectRule = validationRule(
  'projectName can only be set with resourceType Foundry',
  "!has(self.projectName) || self.resourceType == 'Foundry'",
)

const azureField = objectField(
  'Azure, by the name of a resource.',
  { ...azureFields, model },
  { rules: [azureProjectRule] },
)

/** Where Bedrock is, and what it guards. */
export const bedrockFields = {
  region: stringField('Region.', {
    minLength: 1,
    maxLength: 63,
    pattern: '^[a-z0-9-]+$',
    default: 'us-east-1',
  }),
  guardrail: objectField('A guardrail of Bedrock.', {
    identifier: requiredField(shortStringField('Identifier.')),
    version: requiredField(shortStringField('Version.')),
  }),
}

const bedrockField = objectField('Amazon Bedrock.', { ...bedrockFields, model })

/** A project of Vertex AI. */
export const vertexFields = {
  projectId: requiredField(tinyStringField('Project.')),
  region: stringField('Region.', { minLength: 1, maxLength: 64, default: 'global' }),
}

const vertexField = objectField('Vertex AI.', { ...vertexFields, model })

/** The formats of custom providers, with their names in files. */
export const providerFormats = {
  AnthropicTokenCount: 'anthropicTokenCount',
  Completions: 'completions',
  Embeddings: 'embeddings',
  Messages: 'messages',
  Realtime: 'realtime',
  Rerank: 'rerank',
  Responses: 'responses',
} as const

/** What has the API of another provider. */
export const customFields = {
  formats: requiredField(
    listField(
      'Formats that it has, by preference.',
      objectField('A format.', {
        type: requiredField(
          enumField('Format.', Object.keys(providerFormats) as (keyof typeof providerFormats)[]),
        ),
        path: longStringField('Path. By default the usual one of the format.'),
      }),
      { minItems: 1, maxItems: 6, keys: ['type'] },
    ),
  ),
  backendRef: ruledField(
    localBackendRefField('A Service or an InferencePool of the same namespace.'),
    validationRule(
      'backendRef must be a Service or an InferencePool',
      "(self.group == '' && self.kind == 'Service') || (self.group == 'inference.networking.k8s.io' && self.kind == 'InferencePool')",
    ),
  ),
}

const customField = objectField('Anything that has the API of another provider.', { ...customFields, model })

/** The kinds of providers. */
export const providerKindFields = {
  anthropic: objectField('Anthropic.', { model }),
  azure: azureField,
  azureopenai: azureOpenAiField,
  bedrock: bedrockField,
  custom: customField,
  gemini: objectField('Gemini.', { model }),
  openai: openAiField,
  vertexai: vertexField,
}

/** What these fields hold. */
export type ProviderKindForms = {
  readonly [Name in keyof typeof providerKindFields]?: FormOf<(typeof providerKindFields)[Name]>
}
