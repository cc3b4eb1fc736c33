import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { openSession, sealSession, type SessionState } from '../../../src/protocols/mcp/session-token.ts'
import { Keyring } from '../../../src/protocols/seal/aead-keyring.ts'

const key = randomBytes(32)
const ring = new Keyring([key])

const state: SessionState = {
  targets: [
    { target: 'files', session: 's-1', endpoint: '10.0.0.1:80', revision: '2025-06-18' },
    { target: 'git', session: undefined, endpoint: undefined, revision: undefined },
  ],
  revision: '2025-11-25',
  random: 'r',
  owner: { replica: 'replica-1', address: 'http://10.0.0.3:3000' },
  principal: 'alice',
  capabilities: { roots: { listChanged: true } },
  clientInfo: { name: 'c', version: '1' },
  issuedAt: 1_700_000_000_000,
}

test('a session token', async (t) => {
  await t.test('contains the complete session, for holders of the key', () => {
    const id = sealSession(state, ring, 'mcp/a')
    assert.match(id, /^[\w-]+$/)
    assert.deepEqual(openSession(id, new Keyring([key]), 'mcp/a'), state)
  })

  await t.test('is encoded with one letter per member', () => {
    const id = sealSession(
      { targets: [{ target: 'a', session: 'b' }], revision: '2025-11-25', issuedAt: 5 },
      ring,
      'k',
    )
    const text = '{"t":"mcp","s":[{"t":"a","s":"b"}],"v":"2025-11-25","a":5}'
    assert.equal(Buffer.from(id, 'base64url').length, 32 + text.length)
  })

  await t.test('is valid for one backend only, and not for other sealed texts', () => {
    const id = sealSession(state, ring, 'mcp/a')
    assert.equal(openSession(id, ring, 'mcp/b'), undefined)
    assert.equal(openSession(ring.seal('{"t":"mcp","s":[]}', 'something else'), ring, 'mcp/a'), undefined)
    assert.equal(openSession(id, new Keyring([randomBytes(32)]), 'mcp/a'), undefined)
  })

  await t.test('can be neither changed nor forged', () => {
    const bytes = Buffer.from(sealSession(state, ring, 'mcp/a'), 'base64url')
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (at, difference) => {
        const changed = Buffer.from(bytes)
        changed[at % bytes.length] = (changed[at % bytes.length] ?? 0) ^ difference
        return openSession(changed.toString('base64url'), ring, 'mcp/a') === undefined
      }),
      { numRuns: 500 },
    )
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        (text) => openSession(text, ring, 'mcp/a') === undefined,
      ),
    )
    for (let length = 0; length < bytes.length; length += 7)
      assert.equal(openSession(bytes.subarray(0, length).toString('base64url'), ring, 'mcp/a'), undefined)
  })
})
