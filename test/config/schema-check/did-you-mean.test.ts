import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relatedNames } from '../../../src/config/schema-check/did-you-mean.ts'

test('names related to one that nobody knows', async (t) => {
  const known = [
    'localRateLimit',
    'remoteRateLimit',
    'retry',
    'jwtAuth',
    'basicAuth',
    'mcpAuth',
    'oidcAuth',
    'urlRewrite',
  ]
  const related = (name: string) => relatedNames(name, known)

  await t.test('say more, less, or the same in the plural', () => {
    assert.deepEqual(related('rateLimit'), ['localRateLimit', 'remoteRateLimit'])
    assert.deepEqual(related('rewrites'), ['urlRewrite'])
    assert.deepEqual(related('retries'), ['retry'])
    assert.deepEqual(related('retryPolicy'), ['retry'])
    assert.deepEqual(related('JWT'), ['jwtAuth'])
  })

  await t.test('are none where it could be many, or is another word', () => {
    assert.deepEqual(related('auth'), [])
    assert.deepEqual(related('elephant'), [])
    assert.deepEqual(related('a'), [])
  })
})
