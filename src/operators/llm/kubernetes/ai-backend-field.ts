import { type FormOf, requiredField, type SchemaField } from '../../../controller/schema/field.ts'
import { listField, objectField } from '../../../controller/schema/object-fields.ts'
import { sectionNameField } from '../../../controller/schema/reference-fields.ts'
import { exactlyOneOf, noneOrOneOf, validationRule } from '../../../controller/schema/validation-rule.ts'
import { longStringField, portField, shortStringField } from '../../../controller/schema/value-fields.ts'
import { providerKindFields } from './provider-fields.ts'

const providerFields = {
  ...providerKindFields,
  host: shortStringField('Host, in place of that of the provider. TLS is used with `policies.tls` only.'),
  port: portField('Port of the host.'),
  path: longStringField('Path of all requests.'),
  pathPrefix: longStringField('What precedes the paths of the provider.'),
}

const providerRules = [
  exactlyOneOf(...Object.keys(providerKindFields).sort()),
  validationRule('host and port must be set together', 'has(self.host) == has(self.port)'),
  validationRule(
    'custom must have one of host and backendRef',
    '!has(self.custom) || has(self.host) != has(self.custom.backendRef)',
  ),
  noneOrOneOf('path', 'pathPrefix'),
  validationRule('pathPrefix can only be set with host', '!has(self.pathPrefix) || has(self.host)'),
  validationRule(
    'formats cannot have paths with path or pathPrefix',
    '!has(self.custom) || !(has(self.path) || has(self.pathPrefix)) || self.custom.formats.all(f, !has(f.path))',
  ),
]

/**
 * `ai` of a ProxyBackend.
 *
 * @param policies Those of a provider of a group.
 */
export const aiBackendField = (policies: SchemaField<Readonly<Record<string, unknown>>>) =>
  objectField(
    'Language models.',
    {
      provider: objectField('The provider.', providerFields, { rules: providerRules }),
      groups: listField(
        'Groups of providers, most preferred first. One is used when those before it fail.',
        objectField('Providers that share the load.', {
          providers: requiredField(
            listField(
              'Providers.',
              objectField(
                'A provider.',
                { ...providerFields, name: requiredField(sectionNameField('Name.')), policies },
                { rules: providerRules },
              ),
              { minItems: 1, maxItems: 16, keys: ['name'] },
            ),
          ),
        }),
        { minItems: 1, maxItems: 8 },
      ),
    },
    { rules: [exactlyOneOf('groups', 'provider')] },
  )

/** What `aiBackendField` holds. */
export type AiBackendForm = FormOf<ReturnType<typeof aiBackendField>>

/** A provider of a group, or the only one. */
export type AiProviderForm = NonNullable<AiBackendForm['provider']> & {
  readonly name?: string
  readonly policies?: Readonly<Record<string, unknown>>
}
