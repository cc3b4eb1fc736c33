import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AUTHORIZATION_SERVER,
  issuerEndpoints,
  PROTECTED_RESOURCE,
  wellKnownUrl,
} from '../../../src/protocols/oauth/provider-quirks.ts'

const cases: readonly (readonly [
  provider: Parameters<typeof issuerEndpoints>[1],
  issuer: string,
  metadata: string,
  jwks: string,
  registration?: string,
])[] = [
  [
    undefined,
    'https://idp.test',
    'https://idp.test/.well-known/oauth-authorization-server',
    'https://idp.test/.well-known/jwks.json',
  ],
  [
    undefined,
    'https://idp.test/a/b',
    'https://idp.test/.well-known/oauth-authorization-server/a/b',
    'https://idp.test/a/b/.well-known/jwks.json',
  ],
  [
    'auth0',
    'https://t.auth0.com/',
    'https://t.auth0.com/.well-known/oauth-authorization-server',
    'https://t.auth0.com/.well-known/jwks.json',
  ],
  [
    'okta',
    'https://t.okta.com/oauth2/default',
    'https://t.okta.com/oauth2/default/.well-known/openid-configuration',
    'https://t.okta.com/oauth2/default/.well-known/jwks.json',
    'https://t.okta.com/oauth2/v1/clients',
  ],
  [
    'keycloak',
    'https://kc.test/realms/r',
    'https://kc.test/realms/r/.well-known/openid-configuration',
    'https://kc.test/realms/r/protocol/openid-connect/certs',
    'https://kc.test/realms/r/clients-registrations/openid-connect',
  ],
  [
    'descope',
    'https://api.descope.com/v1/apps/P1',
    'https://api.descope.com/v1/apps/P1/.well-known/openid-configuration',
    'https://api.descope.com/P1/.well-known/jwks.json',
  ],
  [
    'descope',
    'https://api.descope.com/v1/apps/agentic/P1/MS2',
    'https://api.descope.com/v1/apps/agentic/P1/MS2/.well-known/openid-configuration',
    'https://api.descope.com/P1/.well-known/jwks.json',
  ],
  [
    'authentik',
    'https://ak.test/application/o/app/',
    'https://ak.test/application/o/app/.well-known/openid-configuration',
    'https://ak.test/application/o/app/jwks/',
  ],
  [
    'entra',
    'https://login.microsoftonline.com/t/v2.0',
    'https://login.microsoftonline.com/t/v2.0/.well-known/openid-configuration',
    'https://login.microsoftonline.com/t/discovery/v2.0/keys',
  ],
  [
    'entra',
    'https://sts.windows.net/t/',
    'https://login.microsoftonline.com/t/v2.0/.well-known/openid-configuration',
    'https://login.microsoftonline.com/t/discovery/v2.0/keys',
  ],
]

for (const [provider, issuer, metadata, jwks, registration] of cases)
  test(`${provider ?? 'no provider'}: ${issuer}`, () => {
    const places = issuerEndpoints(issuer, provider)
    assert.deepEqual([places.metadata[0], places.jwks, places.registration], [metadata, jwks, registration])
  })

test('without a known provider, the OpenID path is the second attempt', () => {
  assert.deepEqual(issuerEndpoints('https://idp.test/a/', undefined).metadata, [
    'https://idp.test/.well-known/oauth-authorization-server/a',
    'https://idp.test/a/.well-known/openid-configuration',
  ])
})

test('well-known paths are inserted before the path', () => {
  assert.equal(
    wellKnownUrl('https://a.test', PROTECTED_RESOURCE),
    'https://a.test/.well-known/oauth-protected-resource',
  )
  assert.equal(
    wellKnownUrl('https://a.test:1/b/', AUTHORIZATION_SERVER),
    'https://a.test:1/.well-known/oauth-authorization-server/b',
  )
})
