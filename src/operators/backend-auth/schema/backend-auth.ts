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

const passthrough = record('The token with which the client proved who it is, once it has been verified.', {
  location: ref('CredentialPlace', 'Where it is put. Default: `Authorization: Bearer`.'),
})

const keyFields = record(
  'A key, and where it is put.',
  {
    value: ref('SecretText', 'The key.'),
    file: text('The file that holds the key, instead of `value`.', { minLength: 1 }),
    location: ref('CredentialPlace', 'Where it is put. Default: `Authorization: Bearer`.'),
  },
  exactlyOne('value', 'file'),
)

const key: SchemaNode = {
  description: 'A key that is always the same: the key itself, a file that holds it, or either with a place.',
  type: ['string', 'object'],
  if: { type: 'string' },
  then: text('The key.', { minLength: 1 }),
  else: ref('BackendKeyFields'),
}

const credential = record(
  'A credential beside the main one.',
  {
    location: ref('CredentialPlace', 'Where it is put.'),
    key: ref('SecretText', 'The credential.'),
  },
  { required: ['location', 'key'] },
)

const jwtSign = record(
  'A token that the gateway signs itself.',
  {
    ...signingKeyFields,
    claims: {
      type: 'object',
      description:
        'Claims, as they are. `iat` and `exp` are those of each token, and cannot be given; nor can `nbf`.',
      additionalProperties: true,
    },
    ttl: duration('How long a token is valid.', defaults.backendAuth.signedTtl),
    location: ref('CredentialPlace', 'Where it is put. Default: `Authorization: Bearer`.'),
  },
  { required: ['signingKey'] },
)

/** The ways to authenticate, of which a policy has one. */
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
}

const fields = record(
  'How the gateway shows the backend who it is: one way at most, and further credentials.',
  { ...kinds, credentials: listOf(ref('BackendCredential'), 'Credentials beside it, or alone.') },
  { 'x-atMostOneOf': [Object.keys(kinds)] },
)

const backendAuth: SchemaNode = {
  description: 'How the gateway shows the backend who it is.',
  type: ['string', 'object'],
  if: { type: 'string' },
  then: words('GitHub Copilot, as whom the user of the gateway is signed in.', ['copilot']),
  else: ref('BackendAuthFields'),
}

/** Definitions about authentication towards backends. */
export const backendAuthDefinitions: Properties = {
  BackendPassthrough: passthrough,
  BackendKeyFields: keyFields,
  BackendKey: key,
  BackendCredential: credential,
  BackendJwtSign: jwtSign,
  BackendAuthFields: fields,
  BackendAuth: backendAuth,
}
