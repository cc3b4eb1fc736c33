import type { FormOf } from '../../controller/schema/field.ts'
import { extractionLocationField } from '../../controller/schema/location-fields.ts'
import { objectField } from '../../controller/schema/object-fields.ts'
import { matchLabelsField } from '../../controller/schema/policy-fields.ts'
import { localSecretRefField } from '../../controller/schema/reference-fields.ts'
import { enumField } from '../../controller/schema/scalar-fields.ts'
import { exactlyOneOf } from '../../controller/schema/validation-rule.ts'

/** `apiKeyAuthentication` of the traffic of a ProxyPolicy. */
export const apiKeyAuthenticationField = objectField(
  'Validates API keys.',
  {
    mode: enumField(
      '`Strict`: requests without a valid key are refused. `Optional`: those without a key pass. `Permissive`: all pass.',
      ['Strict', 'Optional', 'Permissive'],
      { default: 'Strict' },
    ),
    secretRef: localSecretRefField('Secret with keys: each value is one, or JSON with `key` and `metadata`.'),
    secretSelector: matchLabelsField('Secrets with keys, by labels.'),
    configMapSelector: matchLabelsField('ConfigMaps with hashes of keys, by labels.'),
    location: extractionLocationField('Where the key is. By default the header Authorization.'),
  },
  { rules: [exactlyOneOf('secretRef', 'secretSelector', 'configMapSelector')] },
)

/** What `apiKeyAuthentication` holds. */
export type ApiKeyAuthenticationForm = FormOf<typeof apiKeyAuthenticationField>
