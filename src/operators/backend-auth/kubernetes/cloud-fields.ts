/**
 * Credentials of clouds.
 *
 * @module
 */
import { type FormOf, requiredField } from '../../../controller/schema/field.ts'
import { listField, objectField } from '../../../controller/schema/object-fields.ts'
import { localSecretRefField, secretKeyRefField } from '../../../controller/schema/reference-fields.ts'
import { enumField, stringField } from '../../../controller/schema/scalar-fields.ts'
import { exactlyOneOf, noneOrOneOf, validationRule } from '../../../controller/schema/validation-rule.ts'
import { celField, shortStringField } from '../../../controller/schema/value-fields.ts'

const sessionTagField = objectField(
  'A tag of the session.',
  {
    key: requiredField(stringField('Key.', { minLength: 1, maxLength: 128 })),
    value: stringField('Value.', { maxLength: 256 }),
    expression: celField('Expression that gives the value.'),
  },
  { rules: [exactlyOneOf('value', 'expression')] },
)

/** `aws`: signatures of AWS. */
export const awsAuthField = objectField(
  'Signs requests for AWS; without fields, with the credentials of the environment.',
  {
    secretRef: localSecretRefField(
      'Secret with `accessKey`, `secretKey`, and `sessionToken` where there is one.',
    ),
    assumeRole: objectField(
      'Takes a role.',
      {
        roleArn: requiredField(
          stringField('Role.', {
            minLength: 1,
            maxLength: 2048,
            pattern: String.raw`^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$`,
          }),
        ),
        sessionName: stringField('Name of the session.', {
          maxLength: 64,
          pattern: String.raw`^[\w+=,.@-]{2,64}$`,
        }),
        sessionNameExpression: celField('Expression that gives the name of the session.'),
        tags: listField('Tags of the session.', sessionTagField, { maxItems: 50, keys: ['key'] }),
      },
      { rules: [noneOrOneOf('sessionName', 'sessionNameExpression')] },
    ),
    region: shortStringField('Region. By default that of the backend.'),
    serviceName: shortStringField('Service that requests are signed for.'),
  },
  { rules: [noneOrOneOf('secretRef', 'assumeRole')] },
)

/** `azure`: tokens of Azure. */
export const azureAuthField = objectField(
  'Gets tokens from Azure; without fields, as the environment says.',
  {
    secretRef: localSecretRefField('Secret with `clientID`, `tenantID` and `clientSecret`.'),
    managedIdentity: objectField(
      'The identity of the machine.',
      {
        clientId: stringField('Client.', { maxLength: 256 }),
        objectId: stringField('Object.', { maxLength: 256 }),
        resourceId: stringField('Resource.', { maxLength: 1024 }),
      },
      { rules: [noneOrOneOf('clientId', 'objectId', 'resourceId')] },
    ),
    workloadIdentity: objectField('The identity of the pod.', {}),
  },
  { rules: [noneOrOneOf('secretRef', 'managedIdentity', 'workloadIdentity')] },
)

/** `gcp`: tokens of Google Cloud. */
export const gcpAuthField = objectField(
  'Gets tokens from Google Cloud.',
  {
    type: enumField('Kind of token. By default an access token.', ['AccessToken', 'IdToken']),
    audience: shortStringField('Audience of an ID token. By default the host of the backend.'),
    secretRef: secretKeyRefField(
      'Secret with a key file, under `credentials.json` by default. Without it, the credentials of the environment.',
    ),
  },
  {
    rules: [
      validationRule(
        'audience can only be set with type IdToken',
        "!has(self.audience) || (has(self.type) && self.type == 'IdToken')",
      ),
    ],
  },
)

/** What `aws` holds. */
export type AwsAuthForm = FormOf<typeof awsAuthField>
/** What `azure` holds. */
export type AzureAuthForm = FormOf<typeof azureAuthField>
/** What `gcp` holds. */
export type GcpAuthForm = FormOf<typeof gcpAuthField>
