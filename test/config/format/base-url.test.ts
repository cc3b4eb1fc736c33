import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBaseUrl } from '../../../src/config/format/base-url.ts'

test('a base URL is split into its parts', () => {
  assert.deepEqual(parseBaseUrl('https://a.example/v1/'), {
    host: 'a.example',
    port: 443,
    isEncrypted: true,
    path: '/v1',
  })
  assert.deepEqual(parseBaseUrl('http://[::1]:8080'), {
    host: '::1',
    port: 8080,
    isEncrypted: false,
    path: '',
  })
})
