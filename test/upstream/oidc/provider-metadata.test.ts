import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readProviderMetadata } from '../../../src/upstream/oidc/provider-metadata.ts'

const issuer = 'https://idp.test'
const document = {
  issuer,
  authorization_endpoint: 'https://login.idp.test/authorize',
  token_endpoint: 'https://idp.test/token',
  jwks_uri: 'https://idp.test/keys',
}
const read = (parts: object) => readProviderMetadata(JSON.stringify({ ...document, ...parts }), issuer)

test('readProviderMetadata', async (t) => {
  await t.test(
    'defaults to RS256, as OpenID Connect does, and accepts nothing that is signed with a secret',
    () => {
      assert.deepEqual(read({}).id_token_signing_alg_values_supported, ['RS256'])
      const named = { id_token_signing_alg_values_supported: ['none', 'HS256', 'ES256', 'EdDSA', 1] }
      assert.deepEqual(read(named).id_token_signing_alg_values_supported, ['ES256', 'EdDSA'])
    },
  )

  await t.test('requires TLS', () => {
    assert.throws(() => read({ token_endpoint: 'http://idp.test/token' }), /token_endpoint is without TLS/)
    const plain = { issuer: 'http://idp.test', token_endpoint: 'http://idp.test/token' }
    const text = JSON.stringify({ ...document, ...plain })
    assert.equal(readProviderMetadata(text, 'http://idp.test').token_endpoint, 'http://idp.test/token')
  })
})
