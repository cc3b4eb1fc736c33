/**
 * Tokens that the gateway gets from authorization servers, or signs.
 *
 * @module
 */
import { endpointFields, endpointRule } from '../../../controller/schema/endpoint-fields.ts'
import { type FormOf, requiredField } from '../../../controller/schema/field.ts'
import { extractionLocationField, insertLocationField } from '../../../controller/schema/location-fields.ts'
import { listField, objectField, openObjectField } from '../../../controller/schema/object-fields.ts'
import { expressionsField } from '../../../controller/schema/policy-fields.ts'
import { localSecretRefField } from '../../../controller/schema/reference-fields.ts'
import { enumField, integerField, stringField } from '../../../controller/schema/scalar-fields.ts'
import { validationRule } from '../../../controller/schema/validation-rule.ts'
import { durationTextField, shortStringField } from '../../../controller/schema/value-fields.ts'
import { clientAuthField, signatureAlgorithms } from './client-auth-field.ts'

const texts = (description: string) =>
  listField(description, shortStringField('Value.'), { minItems: 1, maxItems: 64 })

const pathField = stringField('Path at the backend.', { minLength: 1, maxLength: 1024, pattern: '^/' })

const pathWithoutUrl = validationRule('path cannot be set with url', '!has(self.url) || !has(self.path)')

const tokenTypeField = stringField('Type of the token.', { minLength: 1, maxLength: 256 })

const cacheField = objectField('Keeps tokens.', {
  inMemory: objectField('In the memory of each proxy.', {
    maxEntries: integerField('Largest number of tokens. By default 8192; with 0, none are kept.', {
      minimum: 0,
      maximum: 1_000_000,
    }),
    defaultTtl: durationTextField('Lifetime of tokens that have none of their own. By default 300s.', {
      minimum: '1s',
    }),
  }),
})

const isTokenExchange = "!has(self.grantType) || self.grantType == 'TokenExchange'"

/** `oauthTokenExchange` of `auth`. */
export const oauthTokenExchangeField = objectField(
  'Exchanges the token of the client for another one (RFC 8693, RFC 7523).',
  {
    ...endpointFields('the authorization server'),
    path: pathField,
    grantType: enumField('Grant. By default TokenExchange.', ['TokenExchange', 'JwtBearer']),
    subjectToken: objectField('The token that is exchanged. By default that of the client.', {
      source: extractionLocationField('Where it is.'),
      tokenType: tokenTypeField,
    }),
    actorToken: objectField(
      'The token of who acts.',
      {
        source: requiredField(extractionLocationField('Where it is.')),
        tokenType: tokenTypeField,
        mayAct: enumField('Whether the subject token must name the actor.', ['Required']),
      },
      {
        rules: [
          validationRule(
            'mayAct can only be set with tokenType Jwt',
            "!has(self.mayAct) || (has(self.tokenType) && self.tokenType == 'Jwt')",
          ),
        ],
      },
    ),
    audiences: texts('Audiences.'),
    scopes: texts('Scopes.'),
    resources: listField('Resources.', stringField('URI.', { minLength: 1, maxLength: 1024 }), {
      minItems: 1,
      maxItems: 64,
    }),
    requestedTokenType: enumField('Type of the token that is asked for.', [
      'AccessToken',
      'Jwt',
      'IdToken',
      'IdJag',
    ]),
    additionalParams: expressionsField('Further parameters of the request.'),
    clientAuth: clientAuthField,
    location: insertLocationField('Where the token is put. By default the header Authorization.'),
    cache: cacheField,
  },
  {
    rules: [
      endpointRule,
      pathWithoutUrl,
      validationRule(
        'actorToken can only be set with grantType TokenExchange',
        `!has(self.actorToken) || ${isTokenExchange}`,
      ),
      validationRule(
        'requestedTokenType can only be set with grantType TokenExchange',
        `!has(self.requestedTokenType) || ${isTokenExchange}`,
      ),
      validationRule(
        'requestedTokenType IdJag is not supported; use crossAppAccess',
        "!has(self.requestedTokenType) || self.requestedTokenType != 'IdJag'",
      ),
    ],
  },
)

const serverField = (description: string) =>
  objectField(
    description,
    {
      ...endpointFields('the server'),
      path: pathField,
      clientAuth: requiredField(clientAuthField),
    },
    { rules: [endpointRule, pathWithoutUrl] },
  )

/** `crossAppAccess` of `auth`. */
export const crossAppAccessField = objectField(
  'Gets a token of another application, by an identity assertion of the provider of identity (ID-JAG).',
  {
    identityProvider: requiredField(serverField('The provider of identity.')),
    resourceAuthorizationServer: requiredField(
      serverField('The authorization server of the other application.'),
    ),
    audience: requiredField(shortStringField('Audience of the assertion.')),
    resources: texts('Resources.'),
    scopes: texts('Scopes of the assertion.'),
    accessTokenScopes: listField('Scopes of the access token.', shortStringField('Scope.'), { maxItems: 64 }),
    subjectToken: objectField(
      'The token that is exchanged. By default that of the client.',
      { source: extractionLocationField('Where it is.'), tokenType: tokenTypeField },
      {
        rules: [
          validationRule(
            'tokenType IdJag is not a subject',
            "!has(self.tokenType) || self.tokenType != 'IdJag'",
          ),
        ],
      },
    ),
    cache: cacheField,
  },
)

/** `jwtSign` of `auth`. */
export const jwtSignField = objectField('Signs a token.', {
  signingKeyRef: requiredField(localSecretRefField('Secret with the private key under `signingKey`.')),
  alg: enumField('Algorithm.', signatureAlgorithms),
  kid: stringField('Name of the key.', { maxLength: 256 }),
  claims: openObjectField('Claims: values, or expressions as the configuration file has them.'),
  ttl: durationTextField('Lifetime. By default 300s.', { minimum: '1s' }),
  location: insertLocationField('Where the token is put. By default the header Authorization.'),
})

/** What `oauthTokenExchange` holds. */
export type OauthTokenExchangeForm = FormOf<typeof oauthTokenExchangeField>
/** What `crossAppAccess` holds. */
export type CrossAppAccessForm = FormOf<typeof crossAppAccessField>
/** What `jwtSign` holds. */
export type JwtSignForm = FormOf<typeof jwtSignField>
