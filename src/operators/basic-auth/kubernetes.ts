import type { FormOf } from '../../controller/schema/field.ts'
import { extractionLocationField } from '../../controller/schema/location-fields.ts'
import { listField, objectField } from '../../controller/schema/object-fields.ts'
import { secretKeyRefField } from '../../controller/schema/reference-fields.ts'
import { enumField, stringField } from '../../controller/schema/scalar-fields.ts'
import { exactlyOneOf } from '../../controller/schema/validation-rule.ts'

/** `basicAuthentication` of the traffic of a ProxyPolicy. */
export const basicAuthenticationField = objectField(
  'Validates user names and passwords.',
  {
    mode: enumField(
      '`Strict`: requests without valid credentials are refused. `Optional`: those without credentials pass.',
      ['Strict', 'Optional'],
      { default: 'Strict' },
    ),
    realm: stringField('Realm of the challenge. By default `Restricted`.', { maxLength: 256 }),
    users: listField('Lines of htpasswd.', stringField('`name:hash`.', { maxLength: 1024 }), {
      minItems: 1,
      maxItems: 256,
    }),
    secretRef: secretKeyRefField('Secret with lines of htpasswd; by default under the key `.htaccess`.'),
    location: extractionLocationField('Where the credentials are. By default the header Authorization.'),
  },
  { rules: [exactlyOneOf('users', 'secretRef')] },
)

/** What `basicAuthentication` holds. */
export type BasicAuthenticationForm = FormOf<typeof basicAuthenticationField>
