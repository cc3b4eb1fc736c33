import { defaults } from '../../../config/defaults.ts'
import {
  duration,
  exactlyOne,
  listOf,
  ours,
  type Properties,
  record,
  ref,
  type SchemaNode,
  text,
  words,
} from '../../../config/schema/builders.ts'
import { signingKeyFields } from './signing-key.ts'

const passthrough = record('Forwards the verified token of the client.', {
  location: ref(
    'CredentialField',
    'Where the credential is put. Default: `Authorization` with the prefix `Bearer `.',
  ),
})

const keyFields = record(
  'A static key and its location.',
  {
    value: ref('SecretText', 'The key.'),
    file: text('File that contains the key, as an alternative to `value`.', { minLength: 1 }),
    location: ref(
      'CredentialField',
      'Where the credential is put. Default: `Authorization` with the prefix `Bearer `.',
    ),
  },
  exactlyOne('value', 'file'),
)

const key: SchemaNode = {
  description: 'A static key: a string, or an object with a key or file and a location.',
  type: ['string', 'object'],
  if: { type: 'string' },
  then: text('The key.', { minLength: 1 }),
  else: ref('BackendKeyFields'),
}

const credential = record(
  'An additional credential.',
  {
    location: ref('CredentialField', 'Where the credential is put.'),
    key: ref('SecretText', 'The credential.'),
  },
  { required: ['location', 'key'] },
)

const jwtSign = record(
  'A JWT that the gateway signs.',
  {
    ...signingKeyFields,
    claims: {
      type: 'object',
      description:
        'Claims to include. `iat` and `exp` are set for each token; they and `nbf` cannot be configured.',
      additionalProperties: true,
    },
    ttl: duration('Lifetime of a token.', defaults.backendAuth.signedTtl),
    location: ref(
      'CredentialField',
      'Where the credential is put. Default: `Authorization` with the prefix `Bearer `.',
    ),
  },
  { required: ['signingKey'] },
)

/** Authentication methods; a policy has at most one. */
const kinds: Properties = {
  passthrough: ref('BackendPassthrough'),
  key: ref('BackendKey'),
  jwtSign: ref('BackendJwtSign'),
  oauthTokenExchange: ref('OauthTokenExchange'),
  crossAppAccess: ref('OauthCrossAppAccess'),
  clientCredentials: ours(ref('OauthClientCredentials')),
  gcp: ref('GcpAuth'),
  aws: ref('AwsAuth'),
  azure: ref('AzureAuth'),
  invalid: ours(
    text('Why there is no credential, such as a missing Secret. Every request to the backend fails.', {
      minLength: 1,
    }),
  ),
}

const fields = record(
  'How the gateway authenticates to the backend: at most one method, and additional credentials.',
  {
    ...kinds,
    credentials: listOf(ref('BackendCredential'), 'Additional credentials, with or without a method.'),
  },
  { 'x-atMostOneOf': [Object.keys(kinds)] },
)

const backendAuth: SchemaNode = {
  description: 'How the gateway authenticates to the backend.',
  type: ['string', 'object'],
  if: { type: 'string' },
  then: words('`copilot` uses the GitHub Copilot login of the user that runs the gateway.', ['copilot']),
  else: ref('BackendAuthFields'),
}

/** Definitions of authentication to backends. */
export const backendAuthDefinitions: Properties = {
  BackendPassthrough: passthrough,
  BackendKeyFields: keyFields,
  BackendKey: key,
  BackendCredential: credential,
  BackendJwtSign: jwtSign,
  BackendAuthFields: fields,
  BackendAuth: backendAuth,
}
