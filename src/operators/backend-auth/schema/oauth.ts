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
  formatted('absoluteUri', 'Token type URI (RFC 8693).', { default: value })
const texts = (description: string) => listOf(text('Value.', { minLength: 1 }), description)

const target: Properties = {
  ...policyBackendFields,
  path: formatted('requestTarget', 'Path and query of the token endpoint.', {
    default: '/',
  }),
}

const properties: Properties = {
  audiences: texts('Requested audiences, sent as one `audience` parameter each.'),
  resources: texts('Requested resources, sent as one `resource` parameter each (RFC 8707).'),
  scopes: texts('Requested scopes, sent as `scope`.'),
}

const clientAuth = record(
  'How the gateway authenticates to a token endpoint.',
  {
    clientId: text('Client ID.', { minLength: 1 }),
    method: words(
      'Authentication method. `clientSecretBasic` and `privateKeyJwt` require the secret or key; with `clientSecretPost` the secret is optional, for public clients.',
      ['clientSecretBasic', 'clientSecretPost', 'privateKeyJwt'],
      'clientSecretBasic',
    ),
    clientSecret: ref('SecretText', 'Client secret.'),
    ...signingKeyFields,
    assertionAudience: text('Audience of client assertions. For `privateKeyJwt`.', { minLength: 1 }),
    certificate: ref('SecretText', 'Certificate chain of the key in PEM, leaf first. For `privateKeyJwt`.'),
    certificateHeader: words(
      'Header parameter that carries the certificate in client assertions. For `certificate`.',
      ['x5c', 'x5t#S256'],
    ),
  },
  { required: ['clientId'] },
)

const tokenCache = record('Cache of tokens.', {
  maxEntries: whole(
    'Maximum number of cached tokens. `0` disables the cache.',
    0,
    1_000_000,
    backendAuth.tokens.maxEntries,
  ),
  defaultTtl: duration(
    'Lifetime of tokens whose response has no `expires_in`.',
    backendAuth.tokens.defaultTtl,
  ),
})

const subjectToken = record('Token that is exchanged. It is not forwarded to the backend.', {
  source: ref(
    'CredentialLocation',
    'Where requests carry the token. Default: `Authorization` with the prefix `Bearer `, or the token that was verified and removed from there.',
  ),
  tokenType: tokenType(backendAuth.tokenType.access),
})

const actorToken = record(
  'Token of the actor, which acts on behalf of the subject.',
  {
    source: ref('CredentialLocation', 'Where requests carry the token.'),
    tokenType: tokenType(backendAuth.tokenType.access),
    enforceMayAct: flag(
      'Whether the `may_act` claim of the subject token must name this actor. Requires the tokenType `urn:ietf:params:oauth:token-type:jwt`.',
      false,
    ),
  },
  { required: ['source'] },
)

const exchange = record(
  'Exchanges the token of the client for another one (RFC 8693 or RFC 7523).',
  {
    ...target,
    grantType: words(
      'Grant type. `tokenExchange` sends the token of the client as `subject_token`, `jwtBearer` as `assertion`.',
      ['tokenExchange', 'jwtBearer'],
      'tokenExchange',
    ),
    subjectToken: ref('OauthSubjectToken'),
    actorToken: ref('OauthActorToken'),
    ...properties,
    requestedTokenType: formatted('absoluteUri', 'Requested token type URI.'),
    clientAuth: ref('OauthClientAuth'),
    additionalParams: mapOf(
      cel('Expression that returns the value, a string. If it does not, the client gets 400.'),
      'Additional parameters of the token request.',
    ),
    authorizationLocation: ref(
      'CredentialField',
      'Where the token is put. Default: `Authorization` with the prefix `Bearer `.',
    ),
    cache: ref('OauthTokenMemory'),
  },
  onePolicyBackend,
)

const endpoint = record(
  'Token endpoint of an authorization server.',
  { ...target, clientAuth: ref('OauthClientAuth') },
  { required: ['clientAuth'], ...onePolicyBackend },
)

const crossApp = record(
  'Obtains a token of another authorization server that trusts the identity provider of the client (ID-JAG).',
  {
    identityProvider: ref('OauthEndpoint', 'Exchanges the token of the client for an assertion.'),
    resourceAuthorizationServer: ref('OauthEndpoint', 'Exchanges the assertion for an access token.'),
    audience: text(
      'Audience of the assertion: identifier of the resource authorization server at the identity provider.',
      {
        minLength: 1,
      },
    ),
    resources: texts('Requested resources of the assertion, sent as one `resource` parameter each.'),
    scopes: texts('Requested scopes of the assertion, sent as `scope`.'),
    accessTokenScopes: texts(
      'Requested scopes of the access token. Default: those of `scopes`. An empty list sends no scope.',
    ),
    subjectToken: record('Token of the client. It is not forwarded to the backend.', {
      source: ref(
        'CredentialLocation',
        'Where requests carry the token. Default: `Authorization` with the prefix `Bearer `.',
      ),
      tokenType: tokenType(backendAuth.tokenType.id),
    }),
    cache: ref('OauthTokenMemory'),
  },
  { required: ['identityProvider', 'resourceAuthorizationServer', 'audience'] },
)

const clientCredentials = record(
  'Token for the gateway itself, obtained with the `client_credentials` grant. It is renewed before it expires, and once when the backend responds 401 `invalid_token`.',
  {
    url: formatted(
      'httpUrl',
      'URL of the token endpoint. Replaces `host`, `path` and `policies.backendTLS`.',
    ),
    ...target,
    clientAuth: ref(
      'OauthClientAuth',
      'How the gateway authenticates to the token endpoint. With `requestFormat: json` the default `method` is `clientSecretPost`.',
    ),
    ...properties,
    requestFormat: words(
      'Encoding of the token request: form as in RFC 6749, or JSON.',
      ['form', 'json'],
      'form',
    ),
    additionalParams: mapOf(text('Value.'), 'Additional parameters of the token request.'),
    location: ref(
      'CredentialField',
      'Where the token is put. Default: `Authorization` with the prefix `Bearer `.',
    ),
    defaultTtl: duration(
      'Lifetime of tokens whose response has no `expires_in`.',
      backendAuth.tokens.defaultTtl,
    ),
  },
  { required: ['clientAuth'], ...exactlyOne('url', 'service', 'host', 'backend') },
)

/** Definitions of OAuth tokens. */
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
