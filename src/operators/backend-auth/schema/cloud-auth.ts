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

const gcp = record('A token of Google Cloud, in `Authorization: Bearer`.', {
  type: words('What kind of token.', ['idToken', 'accessToken'], 'accessToken'),
  audience: text('Of an ID token. Default: `https://` and the host name of the backend.', some),
  credential: ref(
    'SecretText',
    'Application default credentials as JSON. Default: those of the surroundings.',
  ),
})

const role = record(
  'A role that is assumed before requests are signed.',
  {
    roleArn: text('The role.', some),
    sessionName: either(
      'The name of the session. Default: a random one.',
      text('The name.', { pattern: '^[\\w+=,.@-]{2,64}$' }),
      record(
        'The name, by an expression.',
        { expression: cel('Gives the name.') },
        { required: ['expression'] },
      ),
    ),
    tags: listOf(
      record(
        'A tag of the session.',
        {
          key: text('Its key.', { minLength: 1, maxLength: 128 }),
          value: text('Its value.', { maxLength: 256 }),
          expression: cel('Gives its value.'),
        },
        { required: ['key'], ...exactlyOne('value', 'expression') },
      ),
      'Tags of the session.',
      { maxItems: 50 },
    ),
  },
  { required: ['roleArn'] },
)

const aws = record(
  'Signs requests by AWS Signature Version 4, with the keys given here or those of the surroundings. Bodies are read to be signed, up to `maxBufferSize`; those to S3 are sent as they come, unsigned.',
  {
    accessKeyId: ref('SecretText', 'The access key. Default: what the surroundings have.'),
    secretAccessKey: ref('SecretText', 'Its secret.'),
    sessionToken: ref('SecretText', 'The token of a session.'),
    region: text('The region. Default: that in the host name, or `AWS_REGION`.', some),
    serviceName: text('The service, such as `execute-api`. Default: that in the host name.', some),
    assumeRole: ref('AwsRole'),
  },
)

const identity = record(
  'One of the identities of the machine.',
  {
    clientId: text('By its client.', some),
    objectId: text('By its object.', some),
    resourceId: text('By its resource.', some),
  },
  exactlyOne('clientId', 'objectId', 'resourceId'),
)

const azure = record(
  'A token of Microsoft Entra ID, in `Authorization: Bearer`.',
  {
    explicitConfig: record(
      'One way to have it.',
      {
        clientSecret: record(
          'An application with a secret.',
          {
            tenant_id: text('The tenant.', some),
            client_id: text('The application.', some),
            client_secret: text('Its secret.', some),
          },
          { required: ['tenant_id', 'client_id', 'client_secret'] },
        ),
        managedIdentity: record('The identity of the machine.', {
          userAssignedIdentity: ref('AzureIdentity', 'One that it was given. Default: its own.'),
        }),
        workloadIdentity: nothing('The identity of a Kubernetes workload.'),
      },
      exactlyOne('clientSecret', 'managedIdentity', 'workloadIdentity'),
    ),
    developerImplicit: nothing('Whoever is signed in with a tool of Azure: for machines of developers.'),
    implicit: nothing('Whatever there is: variables, workload identity, managed identity, tools.'),
  },
  exactlyOne('explicitConfig', 'developerImplicit', 'implicit'),
)

/** Definitions about credentials of clouds. */
export const cloudDefinitions: Properties = {
  GcpAuth: gcp,
  AwsRole: role,
  AwsAuth: aws,
  AzureIdentity: identity,
  AzureAuth: azure,
}
