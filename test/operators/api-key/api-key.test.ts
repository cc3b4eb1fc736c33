import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { reveal } from '../../../src/cel/context/headers-view.ts'
import { apiKey, type ApiKeyOptions } from '../../../src/operators/api-key/api-key.ts'
import { exchange, type ExchangeOverrides, operatorLaws, run } from '../../../src/testing/index.ts'

const hashed = (key: string) => ({ secret: createHash('sha256').update(key).digest('hex') })
const keys: ApiKeyOptions['keys'] = [
  { hash: hashed('k-alice'), metadata: { user: 'alice', team: { id: 7 } } },
  { hash: hashed('k-bob'), metadata: {}, allowedModels: ['small-*'] },
]
const policy = (parts: Partial<ApiKeyOptions> = {}) =>
  apiKey({
    keys,
    mode: 'strict',
    source: { kind: 'header', name: 'authorization', prefix: 'Bearer ' },
    bufferLimitBytes: 100,
    ...parts,
  })
const sent = (key: string): ExchangeOverrides => ({ headers: { authorization: `Bearer ${key}` } })

test('apiKey', async (t) => {
  await t.test('obeys the laws of operators', () => operatorLaws(policy()))

  await t.test('accepts a known key, sets its metadata, and removes it from the request', () => {
    const x = run(policy(), exchange(sent('k-alice')))
    assert.equal(x.reply, undefined)
    const { key, ...metadata } = x.identity.apiKey as Readonly<Record<string, unknown>>
    assert.deepEqual(metadata, { user: 'alice', team: { id: 7 } })
    assert.equal(reveal(key), 'k-alice')
    assert.equal(JSON.stringify(key), '"<redacted>"')
    assert.equal(x.request.headers.has('authorization'), false)
    assert.equal(x.identity.allowedModels, undefined)
  })

  await t.test('sets the same metadata object every time, which is already converted for expressions', () => {
    const operator = policy()
    const [first, second] = [1, 2].map(() => run(operator, exchange(sent('k-alice'))))
    assert.equal(first?.identity.apiKey, second?.identity.apiKey)
  })

  await t.test('sets the models that a key may use', () => {
    assert.deepEqual(run(policy(), exchange(sent('k-bob'))).identity.allowedModels, ['small-*'])
  })

  await t.test('redacts a key in a custom location, valid or not, as it is written', () => {
    const query = policy({ source: { kind: 'queryParameter', name: 'k' } })
    const written = exchange({ path: '/?a=1&%6b=k-%61lice' })
    assert.equal(run(query, written).reply, undefined)
    assert.deepEqual(new Set(written.policy.secrets), new Set(['k-alice', 'k-%61lice', 'k-%2561lice']))
    assert.deepEqual(run(query, exchange({ path: '/?k=k-alicf' })).policy.secrets, ['k-alicf'])
    const header = policy({ source: { kind: 'header', name: 'x-badge' } })
    assert.deepEqual(run(header, exchange({ headers: { 'x-badge': 'k-alicf' } })).policy.secrets, ['k-alicf'])
    assert.equal(
      run(policy(), exchange(sent('k-alice'))).policy.secrets,
      undefined,
      'everybody knows Authorization',
    )
  })

  const refusals: readonly (readonly [what: string, request: ExchangeOverrides, text: string])[] = [
    ['no key', {}, 'no API Key found'],
    ['an unknown key', sent('k-eve'), 'invalid credentials'],
    ['a key in other letters', sent('K-alice'), 'invalid credentials'],
    ['the hash of a key', sent(hashed('k-alice').secret), 'invalid credentials'],
    ['two keys', { headers: { authorization: ['Bearer k-alice', 'Bearer k-bob'] } }, 'invalid credentials'],
  ]
  for (const [what, request, text] of refusals) {
    await t.test(`refuses ${what}`, () => {
      const { reply, identity } = run(policy(), exchange(request))
      assert.deepEqual(
        [reply?.status, reply?.reason, reply?.code, reply?.error, reply?.headers.get('www-authenticate')],
        [401, 'APIKeyAuth', 'api_key_failed', `api key authentication failure: ${text}`, 'Bearer'],
      )
      assert.deepEqual(identity, {})
    })
  }

  const modes = [
    ['strict', 401, 401],
    ['optional', undefined, 401],
    ['permissive', undefined, undefined],
  ] as const
  for (const [mode, without, wrong] of modes) {
    await t.test(
      `replies ${String(without)} without a key and ${String(wrong)} with a wrong one if ${mode}`,
      () => {
        const none = run(policy({ mode }), exchange())
        const unknown = run(policy({ mode }), exchange(sent('k-eve')))
        assert.deepEqual([none.reply?.status, unknown.reply?.status], [without, wrong])
        assert.deepEqual([none.identity, unknown.identity], [{}, {}])
        assert.equal(unknown.request.headers.get('authorization'), 'Bearer k-eve')
      },
    )
  }

  await t.test('reads the key from the configured location, and sends a suitable challenge', () => {
    const operator = policy({ source: { kind: 'header', name: 'x-api-key' } })
    assert.equal(run(operator, exchange({ headers: { 'x-api-key': 'k-bob' } })).reply, undefined)
    assert.equal(run(operator, exchange(sent('k-bob'))).reply?.headers.get('www-authenticate'), 'ApiKey')
    const inQuery = policy({ source: { kind: 'queryParameter', name: 'key' } })
    const x = run(inQuery, exchange({ path: '/a?b=1&key=k-bob' }))
    assert.deepEqual([x.reply, x.request.target], [undefined, '/a?b=1'])
  })
})
