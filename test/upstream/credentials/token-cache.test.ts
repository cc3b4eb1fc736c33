import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { CredentialFault, TokenRefused } from '../../../src/upstream/credentials/credential-fault.ts'
import { type IssuedToken, TokenCache } from '../../../src/upstream/credentials/token-cache.ts'

/** A cache with a manual clock, and an issuer that counts. */
const start = (maxEntries = 10, lifeMs = 100_000) => {
  const at = { now: 1_000, issued: 0, fail: undefined as Error | undefined }
  const memory = new TokenCache({ maxEntries, clock: () => at.now })
  const issue = (): Promise<IssuedToken> => {
    at.issued++
    if (at.fail !== undefined) return Promise.reject(at.fail)
    return Promise.resolve({ text: `token ${at.issued}`, lifeMs })
  }
  return { at, memory, get: (key = 'a') => memory.get(key, issue), issue }
}

test('TokenCache', async (t) => {
  await t.test('fetches a token once for concurrent requests, and returns a cached one at once', async () => {
    const { at, get } = start()
    const all = await Promise.all([get(), get(), get()])
    assert.deepEqual(all, ['token 1', 'token 1', 'token 1'])
    assert.equal(get(), 'token 1')
    assert.equal(at.issued, 1)
  })

  await t.test('keeps tokens separate', async () => {
    const { get } = start()
    assert.deepEqual([await get('a'), await get('b'), get('a')], ['token 1', 'token 2', 'token 1'])
  })

  await t.test('renews a token before it expires, once, while requests use the old one', async () => {
    const { at, get } = start()
    await get()
    at.now += 79_999
    assert.equal(get(), 'token 1')
    assert.equal(at.issued, 1)
    at.now += 1
    assert.deepEqual([get(), get()], ['token 1', 'token 1'])
    await setImmediate()
    assert.equal(get(), 'token 2')
    assert.equal(at.issued, 2)
  })

  await t.test('returns no token that is about to expire', async () => {
    const { at, get } = start()
    await get()
    at.now += 95_000
    assert.equal(await get(), 'token 2')
  })

  await t.test('uses a valid token while its issuer fails, and retries seldom', async () => {
    const { at, get } = start()
    await get()
    at.now += 80_000
    at.fail = new CredentialFault('down')
    for (let i = 0; i < 10; i++) {
      assert.equal(get(), 'token 1')
      await setImmediate()
    }
    assert.equal(at.issued, 2)
    at.now += 1_000
    void get()
    await setImmediate()
    assert.equal(at.issued, 3)
    at.now += 1_999
    void get()
    await setImmediate()
    assert.equal(at.issued, 3)
    at.now += 1
    void get()
    await setImmediate()
    assert.equal(at.issued, 4)
  })

  await t.test('pauses requests to an issuer that failed, longer after a permanent error', async () => {
    for (const [fault, pause] of [
      [new CredentialFault('down'), 1_000],
      [new CredentialFault('wrong secret', { isPermanent: true }), 30_000],
      [new TokenRefused('invalid_grant'), 30_000],
    ] as const) {
      const { at, get } = start()
      at.fail = fault
      await assert.rejects(Promise.all([get(), get()]), fault)
      assert.throws(() => get(), fault)
      at.now += pause - 1
      assert.throws(() => get(), fault)
      assert.equal(at.issued, 1)
      at.now += 1
      at.fail = undefined
      assert.equal(await get(), 'token 2')
    }
  })

  await t.test('pauses them for ten minutes at most', async () => {
    const { at, get } = start()
    at.fail = new CredentialFault('wrong secret', { isPermanent: true })
    for (let i = 0; i < 20; i++) {
      await assert.rejects(async () => get())
      at.now += 600_000
    }
    assert.equal(at.issued, 20)
  })

  await t.test('pauses them for every token if the issuer is unreachable', async () => {
    for (const maxEntries of [10, 0]) {
      const { at, get } = start(maxEntries)
      await get('a')
      at.fail = new CredentialFault('wrong secret', { isPermanent: true, isOfIssuer: true })
      await assert.rejects(async () => get('b'), at.fail)
      await assert.rejects(async () => get('c'), at.fail)
      assert.equal(at.issued, 2)
      if (maxEntries) assert.equal(get('a'), 'token 1')
      at.now += 30_000
      at.fail = undefined
      assert.equal(await get('c'), 'token 3')
      assert.equal(await get('d'), 'token 4')
    }
  })

  await t.test('replaces a token that an upstream refused, but not repeatedly', async () => {
    const { at, memory, get } = start()
    await get()
    assert.equal(memory.refused('a', 'token 1'), true)
    assert.equal(memory.refused('a', 'token 1'), false)
    const second = get()
    assert.equal(memory.refused('a', 'token 1'), true, 'somebody has seen to it')
    assert.equal(await second, 'token 2')
    assert.equal(memory.refused('a', 'token 2'), false)
    assert.equal(get(), 'token 2')
    at.now += 30_000
    assert.equal(memory.refused('a', 'token 2'), true)
    assert.equal(await get(), 'token 3')
  })

  await t.test('evicts the least recently used tokens', async () => {
    const { memory, get } = start(2)
    for (const key of ['a', 'b', 'a', 'c', 'a']) await get(key)
    assert.equal(memory.size, 2)
    assert.equal(get('a'), 'token 1')
    assert.equal(await get('b'), 'token 4')
  })

  await t.test('caches nothing with a size of 0', async () => {
    const { memory, get } = start(0)
    assert.deepEqual([await get(), await get()], ['token 1', 'token 2'])
    assert.equal(memory.size, 0)
    assert.equal(memory.refused('a', 'token 2'), false)
  })

  await t.test('does not cache a token without a lifetime', async () => {
    const { get } = start(10, 0)
    assert.deepEqual([await get(), await get()], ['token 1', 'token 2'])
  })
})
