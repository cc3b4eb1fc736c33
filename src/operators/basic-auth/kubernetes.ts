import { credentialLocationOf, extractionLocationField } from '../../controller/schema/location-fields.ts'
import { listField, objectField } from '../../controller/schema/object-fields.ts'
import { policyForm, refuseRequests } from '../../controller/schema/policy-form.ts'
import { secretKeyRefField } from '../../controller/schema/reference-fields.ts'
import { enumField, stringField } from '../../controller/schema/scalar-fields.ts'
import { exactlyOneOf } from '../../controller/schema/validation-rule.ts'

const basicAuthenticationField = objectField(
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

/** `traffic.basicAuthentication` of a ProxyPolicy. */
export const basicAuthenticationForm = policyForm({
  field: basicAuthenticationField,
  translate: ({ mode = 'Strict', realm, users, secretRef, location }, context) => {
    const htpasswd = secretRef ? context.secretKey(secretRef, '.htaccess') : users?.join('\n')
    return htpasswd === undefined
      ? undefined
      : {
          basicAuth: {
            htpasswd,
            realm: realm ?? 'Restricted',
            mode: mode === 'Strict' ? 'strict' : 'optional',
            ...(location === undefined ? {} : { authorizationLocation: credentialLocationOf(location) }),
          },
        }
  },
  whenBroken: refuseRequests,
})
