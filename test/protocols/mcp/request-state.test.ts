import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  openRequestState,
  requestDigest,
  sealRequestState,
} from '../../../src/protocols/mcp/request-state.ts'
import { sealSession } from '../../../src/protocols/mcp/session-token.ts'
import { Keyring } from '../../../src/protocols/seal/aead-keyring.ts'

const ring = new Keyring([randomBytes(32)])
const digest = requestDigest('tools/call', { name: 'a' })
const state = {
  target: 'git',
  inner: 'server’s own',
  pending: 'p1',
  owner: { replica: 'replica-1', address: 'http://10.0.0.3:3000' },
  principal: 'alice',
  digest,
  expiresAt: 1000,
}
const expected = { principal: 'alice', digest, now: 999 }

test('the state of an input_required request', async (t) => {
  await t.test('is returned unchanged', () => {
    assert.deepEqual(openRequestState(sealRequestState(state, ring), ring, expected), state)
    const least = { target: 'a', principal: '', digest: '', expiresAt: 1 }
    assert.deepEqual(
      openRequestState(sealRequestState(least, ring), ring, { principal: '', digest: '', now: 0 }),
      {
        ...least,
        inner: undefined,
        pending: undefined,
        owner: undefined,
      },
    )
  })

  await t.test('is refused to other callers, for other requests, and after its expiry', () => {
    const text = sealRequestState(state, ring)
    assert.equal(openRequestState(text, ring, { ...expected, principal: 'bob' }), undefined)
    assert.equal(
      openRequestState(text, ring, { ...expected, digest: requestDigest('tools/call', {}) }),
      undefined,
    )
    assert.equal(openRequestState(text, ring, { ...expected, now: 1000 }), undefined)
    assert.equal(openRequestState(text, new Keyring([randomBytes(32)]), expected), undefined)
  })

  await t.test('is not a session id', () => {
    const session = sealSession({ targets: [], revision: '2025-11-25', issuedAt: 0 }, ring, 'b')
    assert.equal(openRequestState(session, ring, expected), undefined)
  })

  await t.test('can be neither changed nor forged', () => {
    const bytes = Buffer.from(sealRequestState(state, ring), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.equal(openRequestState(changed.toString('base64url'), ring, expected), undefined)
    }
  })
})

test('the digest of a request', async (t) => {
  await t.test('is the same for its retry, in any member order', () => {
    const first = requestDigest('tools/call', { name: 'a', arguments: { x: 1, y: { p: [1, 2], q: null } } })
    const retry = {
      inputResponses: { k: {} },
      requestState: 's',
      _meta: { progressToken: 1 },
      arguments: { y: { q: null, p: [1, 2] }, x: 1 },
      name: 'a',
    }
    assert.equal(requestDigest('tools/call', retry), first)
    assert.equal(requestDigest('tools/call', undefined), requestDigest('tools/call', { _meta: {} }))
  })

  await t.test('differs for another request', () => {
    const digests = [
      requestDigest('tools/call', { name: 'a', arguments: { x: 1 } }),
      requestDigest('prompts/get', { name: 'a', arguments: { x: 1 } }),
      requestDigest('tools/call', { name: 'b', arguments: { x: 1 } }),
      requestDigest('tools/call', { name: 'a', arguments: { x: '1' } }),
      requestDigest('tools/call', { name: 'a', arguments: { x: [1] } }),
      requestDigest('tools/call', { name: 'a', arguments: { _meta: 1, x: 1 } }),
      requestDigest('tools/call', { name: 'a' }),
      requestDigest('tools/call', { name: 'a', arguments: {} }),
      requestDigest('tools/call', { name: 'a', arguments: JSON.parse('{"__proto__":1}') }),
    ]
    assert.equal(new Set(digests).size, digests.length)
  })

  await t.test('distinguishes different values, and nothing else', () => {
    const params = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, entry]) => [name, reversed(entry)]),
      )
    }
    fc.assert(
      fc.property(params, params, (a, b) => {
        const [one, other] = [{ arguments: a }, { arguments: b }]
        const flipped = reversed(one) as Record<string, unknown>
        assert.equal(requestDigest('m', one), requestDigest('m', flipped))
        const isSame = isEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)))
        assert.equal(requestDigest('m', one) === requestDigest('m', other), isSame)
      }),
    )
  })
})

const isEqual = (a: unknown, b: unknown): boolean => {
  try {
    assert.deepStrictEqual(a, b)
    return true
  } catch {
    return false
  }
}
