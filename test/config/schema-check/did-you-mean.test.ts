import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relatedNames } from '../../../src/config/schema-check/did-you-mean.ts'

test('suggestions for an unknown name', async (t) => {
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

  await t.test('have additional words, fewer words, or another number', () => {
    assert.deepEqual(related('rateLimit'), ['localRateLimit', 'remoteRateLimit'])
    assert.deepEqual(related('rewrites'), ['urlRewrite'])
    assert.deepEqual(related('retries'), ['retry'])
    assert.deepEqual(related('retryPolicy'), ['retry'])
    assert.deepEqual(related('JWT'), ['jwtAuth'])
  })

  await t.test('are empty if there are many candidates, or for an unrelated word', () => {
    assert.deepEqual(related('auth'), [])
    assert.deepEqual(related('elephant'), [])
    assert.deepEqual(related('a'), [])
  })
})
