import {
  cel,
  either,
  exactlyOne,
  listOf,
  type Properties,
  record,
  ref,
  type SchemaNode,
  text,
  words,
} from '../../../config/schema/builders.ts'

const some = { minLength: 1 }
const nothing = (description: string): SchemaNode => record(description, {})

const gcp = record('A Google Cloud token, sent as `Authorization: Bearer`.', {
  type: words('Token type.', ['idToken', 'accessToken'], 'accessToken'),
  audience: text('Audience of ID tokens. Default: `https://` and the host name of the backend.', some),
  credential: ref(
    'SecretText',
    'Application default credentials as JSON. Default: those found in the environment.',
  ),
})

const role = record(
  'Role to assume before signing.',
  {
    roleArn: text('ARN of the role.', some),
    sessionName: either(
      'Session name. Default: a random name.',
      text('Session name.', { pattern: '^[\\w+=,.@-]{2,64}$' }),
      record(
        'Session name from an expression.',
        { expression: cel('Expression that returns the name.') },
        { required: ['expression'] },
      ),
    ),
    tags: listOf(
      record(
        'A session tag.',
        {
          key: text('Tag key.', { minLength: 1, maxLength: 128 }),
          value: text('Tag value.', { maxLength: 256 }),
          expression: cel('Expression that returns the tag value.'),
        },
        { required: ['key'], ...exactlyOne('value', 'expression') },
      ),
      'Session tags.',
      { maxItems: 50 },
    ),
  },
  { required: ['roleArn'] },
)

const aws = record(
  'Signs requests with AWS Signature Version 4, with the configured keys or credentials found in the environment. Bodies are buffered for signing up to `maxBufferSize`; bodies to S3 are streamed and not signed.',
  {
    accessKeyId: ref('SecretText', 'Access key ID. Default: from the environment.'),
    secretAccessKey: ref('SecretText', 'Secret access key.'),
    sessionToken: ref('SecretText', 'Session token.'),
    region: text('Region. Default: from the host name, else `AWS_REGION`.', some),
    serviceName: text('Service name, such as `execute-api`. Default: from the host name.', some),
    assumeRole: ref('AwsRole'),
  },
)

const identity = record(
  'A user-assigned managed identity; set exactly one field.',
  {
    clientId: text('Client ID.', some),
    objectId: text('Object ID.', some),
    resourceId: text('Resource ID.', some),
  },
  exactlyOne('clientId', 'objectId', 'resourceId'),
)

const azure = record(
  'A Microsoft Entra ID token, sent as `Authorization: Bearer`.',
  {
    explicitConfig: record(
      'Credential source; set exactly one field.',
      {
        clientSecret: record(
          'Application with a client secret.',
          {
            tenant_id: text('Tenant ID.', some),
            client_id: text('Client ID of the application.', some),
            client_secret: text('Client secret.', some),
          },
          { required: ['tenant_id', 'client_id', 'client_secret'] },
        ),
        managedIdentity: record('Managed identity of the machine.', {
          userAssignedIdentity: ref(
            'AzureIdentity',
            'User-assigned identity. Default: the system-assigned identity.',
          ),
        }),
        workloadIdentity: nothing('Identity of a Kubernetes workload.'),
      },
      exactlyOne('clientSecret', 'managedIdentity', 'workloadIdentity'),
    ),
    developerImplicit: nothing('Login of the Azure developer tools. For development machines.'),
    implicit: nothing(
      'First available credential: environment variables, workload identity, managed identity, developer tools.',
    ),
  },
  exactlyOne('explicitConfig', 'developerImplicit', 'implicit'),
)

/** Definitions of cloud credentials. */
export const cloudDefinitions: Properties = {
  GcpAuth: gcp,
  AwsRole: role,
  AwsAuth: aws,
  AzureIdentity: identity,
  AzureAuth: azure,
}
