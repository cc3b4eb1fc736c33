import { type FormOf, requiredField } from '../../../controller/schema/field.ts'
import { anyField, listField, mapField, objectField } from '../../../controller/schema/object-fields.ts'
import {
  booleanField,
  enumField,
  integerField,
  stringField,
} from '../../../controller/schema/scalar-fields.ts'
import { atLeastOneOf } from '../../../controller/schema/validation-rule.ts'
import { celField, shortStringField } from '../../../controller/schema/value-fields.ts'
import { promptGuardField } from '../guardrails/kubernetes/prompt-guard-field.ts'

const valuesField = (description: string) =>
  listField(
    description,
    objectField('A field with its value.', {
      field: requiredField(shortStringField('Name of the field.')),
      value: requiredField(anyField('Value, any JSON.')),
    }),
    { minItems: 1, maxItems: 64 },
  )

/** Fields of a body that are set by expressions; no two entries agree in `keys`. */
export const fieldExpressionsField = (description: string, keys?: readonly 'field'[]) =>
  listField(
    description,
    objectField('A field with its expression.', {
      field: requiredField(shortStringField('Name of the field.')),
      expression: requiredField(celField('Expression that gives the value.')),
    }),
    { minItems: 1, maxItems: 64, ...(keys && { keys }) },
  )

const messagesField = (description: string) =>
  listField(
    description,
    objectField('A message.', {
      role: requiredField(stringField('Role, such as `system`.', { minLength: 1, maxLength: 64 })),
      content: requiredField(stringField('Text.', { maxLength: 65_536 })),
    }),
    { maxItems: 64 },
  )

const MAX = 2 ** 31 - 1

const promptCachingField = objectField('Marks parts of prompts for the caches of providers.', {
  cacheSystem: booleanField('Marks the system prompt.', { default: true }),
  cacheMessages: booleanField('Marks the messages.', { default: true }),
  cacheTools: booleanField('Marks the tools.', { default: false }),
  minTokens: integerField('Tokens from which on prompts are marked.', {
    minimum: 0,
    maximum: MAX,
    default: 1024,
  }),
  cacheMessageOffset: integerField('Messages by which the mark is moved back.', {
    minimum: 0,
    maximum: MAX,
    default: 0,
  }),
})

/** The formats of requests, with their names in files. */
export const requestFormats = {
  AnthropicTokenCount: 'anthropicTokenCount',
  Completions: 'completions',
  Detect: 'detect',
  Embeddings: 'embeddings',
  GeminiCountTokens: 'geminiCountTokens',
  GenerateContent: 'generateContent',
  Messages: 'messages',
  Models: 'models',
  Passthrough: 'passthrough',
  Realtime: 'realtime',
  Rerank: 'rerank',
  Responses: 'responses',
} as const

const fields = {
  prompt: objectField('Messages around those of the client.', {
    prepend: messagesField('Messages before.'),
    append: messagesField('Messages after.'),
  }),
  promptGuard: promptGuardField,
  defaults: valuesField('Fields of the body that are set where the client has none.'),
  overrides: valuesField('Fields of the body that are set in any case.'),
  transformations: fieldExpressionsField(
    'Fields of the body that are set by expressions. A field whose expression fails is removed.',
  ),
  finalTransformations: fieldExpressionsField('The same, on the body in the format of the provider.'),
  modelAliases: mapField(
    'Models by the names that clients may use for them. A name may have `*` at its start or end.',
    stringField('Model.', { minLength: 1, maxLength: 256 }),
    { maxProperties: 64 },
  ),
  promptCaching: promptCachingField,
  routes: mapField(
    'Formats of requests by the end of the path; `*` is any. By default Completions.',
    enumField('Format.', Object.keys(requestFormats) as (keyof typeof requestFormats)[]),
    { maxProperties: 64 },
  ),
}

/** `ai` of the policies of backends. */
export const aiPolicyField = objectField('What is done to requests to language models.', fields, {
  rules: [atLeastOneOf(...Object.keys(fields).sort())],
})

/** What `aiPolicyField` holds. */
export type AiPolicyForm = FormOf<typeof aiPolicyField>
