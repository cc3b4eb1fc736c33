import { type FormOf } from '../../../../controller/schema/field.ts'
import { listField, objectField } from '../../../../controller/schema/object-fields.ts'
import { enumField, integerField, stringField } from '../../../../controller/schema/scalar-fields.ts'
import { atLeastOneOf, exactlyOneOf, validationRule } from '../../../../controller/schema/validation-rule.ts'
import { longStringField } from '../../../../controller/schema/value-fields.ts'
import {
  bedrockGuardrailsField,
  moderationField,
  modelArmorField,
  webhookField,
} from './guard-service-fields.ts'

const regexField = objectField(
  'Patterns, evaluated by the proxy.',
  {
    action: enumField('What happens to text that matches.', ['Mask', 'Reject'], { default: 'Mask' }),
    matches: listField('Regular expressions (RE2).', longStringField('Pattern.'), {
      minItems: 1,
      maxItems: 256,
    }),
    builtins: listField(
      'Patterns that are built in.',
      enumField('Pattern.', ['CaSin', 'CreditCard', 'Email', 'PhoneNumber', 'Ssn']),
      { minItems: 1, maxItems: 5 },
    ),
  },
  { rules: [atLeastOneOf('builtins', 'matches')] },
)

const responseField = objectField('Reply where something is rejected.', {
  message: stringField('Body.', {
    maxLength: 65_536,
    default: 'The request was rejected due to inappropriate content',
  }),
  statusCode: integerField('Status code.', { minimum: 200, maximum: 599, default: 403 }),
})

const kinds = {
  regex: regexField,
  webhook: webhookField,
  bedrockGuardrails: bedrockGuardrailsField,
  googleModelArmor: modelArmorField,
}

const requestKinds = { ...kinds, openAIModeration: moderationField }

const requestGuardField = objectField(
  'A guard.',
  {
    ...requestKinds,
    response: responseField,
    scope: listField(
      'Parts of a request that are checked. By default all.',
      enumField('Part.', ['Messages', 'SystemPrompt', 'ToolInput', 'ToolOutput']),
      { minItems: 1, maxItems: 4, isSet: true },
    ),
  },
  {
    rules: [
      exactlyOneOf(...Object.keys(requestKinds).sort()),
      validationRule(
        'scope can only be SystemPrompt and Messages, unless regex or bedrockGuardrails is set',
        "!has(self.scope) || has(self.regex) || has(self.bedrockGuardrails) || (self.scope.size() == 2 && self.scope.all(s, s in ['SystemPrompt', 'Messages']))",
      ),
    ],
  },
)

const responseGuardField = objectField(
  'A guard.',
  { ...kinds, response: responseField },
  { rules: [exactlyOneOf(...Object.keys(kinds).sort())] },
)

/** `promptGuard` of the policies of language models. */
export const promptGuardField = objectField(
  'Guards of what goes to language models and of what they respond.',
  {
    request: listField('Guards of requests, in order, until one rejects.', requestGuardField, {
      minItems: 1,
      maxItems: 8,
    }),
    response: listField('Guards of responses, in order, until one rejects.', responseGuardField, {
      minItems: 1,
      maxItems: 8,
    }),
    streaming: enumField(
      'Checks streams in windows as they arrive. By default a stream is checked as a whole, and sent afterwards.',
      ['Enabled'],
    ),
  },
  { rules: [atLeastOneOf('request', 'response')] },
)

/** What `promptGuardField` holds. */
export type PromptGuardForm = FormOf<typeof promptGuardField>

/** A guard of requests. */
export type RequestGuardForm = FormOf<typeof requestGuardField>

/** A guard of responses. */
export type ResponseGuardForm = FormOf<typeof responseGuardField>

/** Patterns of a guard. */
export type RegexGuardForm = FormOf<typeof regexField>
