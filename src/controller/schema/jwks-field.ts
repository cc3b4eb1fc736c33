import { endpointFields, endpointRule } from './endpoint-fields.ts'
import { type FormOf, requiredField } from './field.ts'
import { objectField } from './object-fields.ts'
import { stringField } from './scalar-fields.ts'
import { exactlyOneOf, validationRule } from './validation-rule.ts'
import { durationTextField, longStringField } from './value-fields.ts'

/** Keys of tokens that the control plane fetches. */
export const remoteJwksField = objectField(
  'Keys that the control plane fetches.',
  {
    ...endpointFields('the key set'),
    jwksPath: longStringField('Path of the key set at the backend.'),
    cacheDuration: durationTextField('Time between two fetches.', { minimum: '5m', default: '5m' }),
  },
  {
    rules: [
      endpointRule,
      validationRule('jwksPath is required with backendRef', '!has(self.backendRef) || has(self.jwksPath)'),
      validationRule('jwksPath cannot be set with url', '!has(self.url) || !has(self.jwksPath)'),
    ],
  },
)

/** What `remoteJwksField` holds. */
export type RemoteJwksForm = FormOf<typeof remoteJwksField>

/** Keys of tokens: a document, or where to fetch it. */
export const jwksField = requiredField(
  objectField(
    'Keys that sign the tokens.',
    {
      inline: stringField('A JSON Web Key Set.', { minLength: 2, maxLength: 65_536 }),
      remote: remoteJwksField,
    },
    { rules: [exactlyOneOf('inline', 'remote')] },
  ),
)
