import { type FormOf, requiredField, type SchemaFields } from '../../../controller/schema/field.ts'
import { insertLocationField } from '../../../controller/schema/location-fields.ts'
import { listField, objectField } from '../../../controller/schema/object-fields.ts'
import { secretKeyRefField } from '../../../controller/schema/reference-fields.ts'
import { stringField } from '../../../controller/schema/scalar-fields.ts'
import {
  atLeastOneOf,
  exactlyOneOf,
  noneOrOneOf,
  validationRule,
} from '../../../controller/schema/validation-rule.ts'
import { awsAuthField, azureAuthField, gcpAuthField } from './cloud-fields.ts'
import { crossAppAccessField, jwtSignField, oauthTokenExchangeField } from './token-fields.ts'

const keyFields = {
  key: stringField('The key itself.', { maxLength: 2048 }),
  secretRef: secretKeyRefField('Secret with the key, under `Authorization` by default.'),
  passthrough: objectField('The credentials of the client, as they are.', {}),
}

const sharedKinds = {
  ...keyFields,
  aws: awsAuthField,
  azure: azureAuthField,
  gcp: gcpAuthField,
  oauthTokenExchange: oauthTokenExchangeField,
}

const locationRule = validationRule(
  'location can only be set with key, secretRef or passthrough',
  '!has(self.location) || has(self.key) || has(self.secretRef) || has(self.passthrough)',
)

const locationField = insertLocationField('Where the credential is put. By default the header Authorization.')

const authField = <F extends SchemaFields>(kinds: F) => {
  const names = Object.keys(kinds).sort()
  return objectField(
    'Credentials for the backend.',
    {
      ...kinds,
      location: locationField,
      credentials: listField(
        'Further credentials.',
        objectField('A credential.', {
          location: requiredField(insertLocationField('Where it is put.')),
          secretRef: requiredField(secretKeyRefField('Secret with it, under `Authorization` by default.')),
        }),
        { minItems: 1, maxItems: 8 },
      ),
    },
    { rules: [noneOrOneOf(...names), atLeastOneOf(...names, 'credentials'), locationRule] },
  )
}

/** `auth` of the policies of backends. */
export const backendAuthField = authField({
  ...sharedKinds,
  crossAppAccess: crossAppAccessField,
  jwtSign: jwtSignField,
})

/** `auth` of the policies of a ProxyModel. */
export const modelAuthField = authField(sharedKinds)

/** `auth` of a guard that is a service of a cloud. */
export const guardAuthField = <F extends SchemaFields>(kinds: F) => {
  const names = Object.keys(kinds).sort()
  const isAlwaysKey = names.every((name) => name in guardKeyFields)
  return objectField(
    'Credentials for the service.',
    { ...kinds, ...('key' in kinds ? { location: locationField } : {}) },
    { rules: [exactlyOneOf(...names), ...('key' in kinds && !isAlwaysKey ? [guardLocationRule] : [])] },
  )
}

const guardLocationRule = validationRule(
  'location can only be set with key or secretRef',
  '!has(self.location) || has(self.key) || has(self.secretRef)',
)

/** The kinds of `auth` that are a key. */
export const guardKeyFields = { key: keyFields.key, secretRef: keyFields.secretRef }

/** What `auth` of the policies of backends holds. */
export type BackendAuthForm = FormOf<typeof backendAuthField>
