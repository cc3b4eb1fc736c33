import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consumingSource } from '../../../src/operators/credentials/consumed-credentials.ts'
import { exchange } from '../../../src/testing/index.ts'

const header = (name: string, prefix?: string) => ({
  kind: 'header' as const,
  name,
  ...(prefix && { prefix }),
})
const sent = () => exchange({ headers: { 'x-key': 'k-one', authorization: 'Bearer k-two' } })

test('consumedCredentials', async (t) => {
  await t.test('finds a credential that a policy of the same kind removed from the same location', () => {
    const x = sent()
    const outer = consumingSource('apiKey', header('authorization', 'Bearer '))
    x.identity = { consumed: outer.consume(x, 'k-two') }
    assert.equal(x.request.headers.has('authorization'), false)
    assert.deepEqual(consumingSource('apiKey', header('authorization', 'bearer ')).read(x), ['k-two'])
  })

  await t.test('does not find it in another location, or for another kind', () => {
    const x = sent()
    x.identity = { consumed: consumingSource('apiKey', header('x-key')).consume(x, 'k-one') }
    const others = [
      consumingSource('basicAuth', header('x-key')),
      consumingSource('apiKey', header('x-other')),
      consumingSource('apiKey', header('x-key', 'Bearer ')),
      consumingSource('apiKey', { kind: 'cookie', name: 'x-key' }),
    ]
    assert.deepEqual(
      others.map((one) => one.read(x)),
      [[], [], [], []],
    )
  })

  await t.test('prefers a credential in the request', () => {
    const x = sent()
    const source = consumingSource('apiKey', header('x-key'))
    x.identity = { consumed: source.consume(x, 'k-one') }
    x.request.headers.set('x-key', 'k-new')
    assert.deepEqual(source.read(x), ['k-new'])
    x.identity = { consumed: source.consume(x, 'k-new') }
    assert.deepEqual(source.read(x), ['k-new'])
  })

  await t.test('removes nothing from the locations of expressions', () => {
    const x = sent()
    const source = consumingSource('apiKey', {
      kind: 'expression',
      expression: ({ request }) => ({ value: request.headers.get('x-key') }),
    })
    assert.deepEqual(source.consume(x, 'k-one'), [])
    assert.deepEqual(source.read(x), ['k-one'])
  })
})
