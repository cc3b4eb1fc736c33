import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { openHop, sealHop } from '../../../src/protocols/mcp/replica-hop-header.ts'
import { sealOwner } from '../../../src/protocols/mcp/replica-token.ts'
import { Keyring } from '../../../src/protocols/seal/aead-keyring.ts'

const key = randomBytes(32)
const ring = new Keyring([key])

test('the replica hop header', async (t) => {
  await t.test('is readable with the key, and fits into a field', () => {
    for (const scheme of ['http', 'https'] as const) {
      const value = sealHop({ scheme }, ring)
      assert.match(value, /^[\w-]+$/)
      assert.deepEqual(openHop(value, new Keyring([randomBytes(32), key])), { scheme })
    }
  })

  await t.test('is not readable with another key', () => {
    const others = [
      '',
      '1',
      'http',
      'true',
      sealHop({ scheme: 'https' }, new Keyring([randomBytes(32)])),
      `${sealHop({ scheme: 'http' }, ring).slice(0, -2)}AA`,
    ]
    for (const value of others) assert.equal(openHop(value, ring), undefined, value)
  })

  await t.test('is not readable from other sealed texts, which clients have', () => {
    assert.equal(openHop(ring.seal('https', 'mcp session a'), ring), undefined)
    assert.equal(openHop(sealOwner({ replica: 'https' }, ring, 'mcp answers a b'), ring), undefined)
    assert.equal(openHop(ring.seal('ftp', 'passed on between replicas'), ring), undefined)
  })
})
