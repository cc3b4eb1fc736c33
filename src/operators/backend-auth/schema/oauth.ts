import { defaults } from '../../../config/defaults.ts'
import { signingKeyFields } from './signing-key.ts'
import {
  cel,
  duration,
  exactlyOne,
  flag,
  formatted,
  listOf,
  mapOf,
  type Properties,
  record,
  ref,
  text,
  whole,
  words,
} from '../../../config/schema/builders.ts'
import { onePolicyBackend, policyBackendFields } from '../../../config/schema/policy-backend.ts'

const { backendAuth } = defaults
const tokenType = (value: string) =>
  formatted('absoluteUri', 'What kind of token it is, as RFC 8693 names them.', { default: value })
const texts = (description: string) => listOf(text('One.', { minLength: 1 }), description)

const target: Properties = {
  ...policyBackendFields,
  path: formatted('requestTarget', 'The path of the token endpoint, with its query if it has one.', {
    default: '/',
  }),
}

const properties: Properties = {
  audiences: texts('For whom the token is to be: `audience`, once each.'),
  resources: texts('What it is to be for: `resource`, once each (RFC 8707).'),
  scopes: texts('What it is to allow: `scope`.'),
}

const clientAuth = record(
  'How the gateway proves who it is at a token endpoint.',
  {
    clientId: text('Its name there.', { minLength: 1 }),
    method: words(
      'How it is proved. `clientSecretBasic` and `privateKeyJwt` need what they are named after; `clientSecretPost` can do without, for clients that have no secret.',
      ['clientSecretBasic', 'clientSecretPost', 'privateKeyJwt'],
      'clientSecretBasic',
    ),
    clientSecret: ref('SecretText', 'The secret.'),
    ...signingKeyFields,
    assertionAudience: text('With `privateKeyJwt`: the audience of its assertions.', { minLength: 1 }),
    certificate: ref(
      'SecretText',
      'With `privateKeyJwt`: certificates for the key in PEM, its own one first.',
    ),
    certificateHeader: words('With `certificate`: how assertions name it.', ['x5c', 'x5t#S256']),
  },
  { required: ['clientId'] },
)

const tokenCache = record('How tokens are remembered.', {
  maxEntries: whole('How many. With 0, none is.', 0, 1_000_000, backendAuth.tokens.maxEntries),
  defaultTtl: duration('How long a token is valid that does not say so.', backendAuth.tokens.defaultTtl),
})

const subjectToken = record('The token that another one is had for. It does not go to the backend.', {
  source: ref(
    'CredentialLocation',
    'Where it is. Default: `Authorization: Bearer`, or the token that was verified and taken out from there.',
  ),
  tokenType: tokenType(backendAuth.tokenType.access),
})

const actorToken = record(
  'The token of whoever acts for the owner of the subject token.',
  {
    source: ref('CredentialLocation', 'Where it is.'),
    tokenType: tokenType(backendAuth.tokenType.access),
    enforceMayAct: flag(
      'Whether the claim `may_act` of the subject token has to name this actor. Needs the tokenType `urn:ietf:params:oauth:token-type:jwt`.',
      false,
    ),
  },
  { required: ['source'] },
)

const exchange = record(
  'A token that the client’s is traded for, by RFC 8693 or RFC 7523.',
  {
    ...target,
    grantType: words(
      '`tokenExchange` sends the token of the client as `subject_token`, `jwtBearer` as `assertion`.',
      ['tokenExchange', 'jwtBearer'],
      'tokenExchange',
    ),
    subjectToken: ref('OauthSubjectToken'),
    actorToken: ref('OauthActorToken'),
    ...properties,
    requestedTokenType: formatted('absoluteUri', 'The kind of token that is wanted.'),
    clientAuth: ref('OauthClientAuth'),
    additionalParams: mapOf(
      cel('Gives the value, a text. If it does not, the client gets 400.'),
      'Further parameters of the request for the token.',
    ),
    authorizationLocation: ref(
      'CredentialPlace',
      'Where the token is put. Default: `Authorization: Bearer`.',
    ),
    cache: ref('OauthTokenMemory'),
  },
  onePolicyBackend,
)

const endpoint = record(
  'The token endpoint of an authorization server.',
  { ...target, clientAuth: ref('OauthClientAuth') },
  { required: ['clientAuth'], ...onePolicyBackend },
)

const crossApp = record(
  'A token of another authorization server, which trusts the identity provider of the client (ID-JAG).',
  {
    identityProvider: ref('OauthEndpoint', 'Trades the token of the client for an assertion.'),
    resourceAuthorizationServer: ref('OauthEndpoint', 'Gives a token for the assertion.'),
    audience: text('The name of the resource authorization server at the identity provider.', {
      minLength: 1,
    }),
    resources: texts('What the assertion is to be for: `resource`, once each.'),
    scopes: texts('What the assertion is to allow: `scope`.'),
    accessTokenScopes: texts(
      'What the token is to allow. Default: the same; an empty list asks for nothing in particular.',
    ),
    subjectToken: record('The token of the client. It does not go to the backend.', {
      source: ref('CredentialLocation', 'Where it is. Default: `Authorization: Bearer`.'),
      tokenType: tokenType(backendAuth.tokenType.id),
    }),
    cache: ref('OauthTokenMemory'),
  },
  { required: ['identityProvider', 'resourceAuthorizationServer', 'audience'] },
)

const clientCredentials = record(
  'A token of the gateway’s own, by the grant `client_credentials`. It is renewed before it expires, and once when the backend says 401 `invalid_token`.',
  {
    url: formatted('httpUrl', 'The token endpoint, in place of `host`, `path` and `policies.backendTLS`.'),
    ...target,
    clientAuth: ref(
      'OauthClientAuth',
      'Who the gateway is. With JSON, `method` is `clientSecretPost` by default.',
    ),
    ...properties,
    requestFormat: words(
      'How the request is written. Some servers take JSON only.',
      ['form', 'json'],
      'form',
    ),
    additionalParams: mapOf(text('The value.'), 'Further parameters of the request.'),
    location: ref('CredentialPlace', 'Where the token is put. Default: `Authorization: Bearer`.'),
    defaultTtl: duration('How long a token is valid that does not say so.', backendAuth.tokens.defaultTtl),
  },
  { required: ['clientAuth'], ...exactlyOne('url', 'service', 'host', 'backend') },
)

/** Definitions about tokens of authorization servers. */
export const oauthDefinitions: Properties = {
  OauthClientAuth: clientAuth,
  OauthTokenMemory: tokenCache,
  OauthSubjectToken: subjectToken,
  OauthActorToken: actorToken,
  OauthTokenExchange: exchange,
  OauthEndpoint: endpoint,
  OauthCrossAppAccess: crossApp,
  OauthClientCredentials: clientCredentials,
}
