import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { openOwner, sealOwner } from '../../../src/protocols/mcp/replica-token.ts'
import { Keyring } from '../../../src/protocols/seal/aead-keyring.ts'

const key = randomBytes(32)
const ring = new Keyring([key])
const owner = { replica: 'replica-1', address: 'http://10.0.0.3:3000' }

test('the token of a replica', async (t) => {
  await t.test('is readable with the key, and not without', () => {
    const text = sealOwner(owner, ring, 'a stream')
    assert.deepEqual(openOwner(text, new Keyring([randomBytes(32), key]), 'a stream'), owner)
    assert.equal(openOwner(text, new Keyring([randomBytes(32)]), 'a stream'), undefined)
    assert.doesNotMatch(Buffer.from(text, 'base64url').toString('latin1'), /10\.0\.0\.3|replica/)
  })

  await t.test('may contain no address', () => {
    const text = sealOwner({ replica: 'replica-1' }, ring, 'a stream')
    assert.deepEqual(openOwner(text, ring, 'a stream'), { replica: 'replica-1', address: undefined })
  })

  await t.test('is valid for one subject only', () => {
    const text = sealOwner(owner, ring, 'a stream')
    assert.equal(openOwner(text, ring, 'another stream'), undefined)
    assert.equal(openOwner(text, ring, ''), undefined)
  })

  await t.test('contains no separators of event ids and stream ids', () => {
    assert.match(sealOwner(owner, ring, 'a stream'), /^[\w-]+$/)
  })

  await t.test('can be neither changed nor forged', () => {
    const bytes = Buffer.from(sealOwner(owner, ring, 'a stream'), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.equal(openOwner(changed.toString('base64url'), ring, 'a stream'), undefined)
    }
    for (const text of ['', 'x', JSON.stringify(['r', 'http://10.0.0.3:3000'])])
      assert.equal(openOwner(text, ring, 'a stream'), undefined)
  })
})
