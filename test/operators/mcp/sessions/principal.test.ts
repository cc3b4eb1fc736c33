import assert from 'node:assert/strict'
import { test } from 'node:test'
import { principalOf } from '../../../../src/operators/mcp/sessions/principal.ts'
import { exchange } from '../../../../src/testing/index.ts'

const principalWith = (jwt: object): string => {
  const x = exchange({})
  x.identity = { jwt }
  return principalOf(x)
}

test('the principal of a caller', async (t) => {
  await t.test('is anonymous without an identity', () => {
    assert.equal(principalOf(exchange({})), '')
  })
  await t.test('does not change with a new token of the same subject', () => {
    const first = principalWith({ iss: 'i', sub: 'ann', exp: 1, scope: 'a' })
    assert.equal(principalWith({ iss: 'i', sub: 'ann', exp: 2, scope: 'b' }), first)
    assert.notEqual(principalWith({ iss: 'i', sub: 'eve', exp: 1 }), first)
    assert.notEqual(principalWith({ iss: 'j', sub: 'ann', exp: 1 }), first)
  })
  await t.test('without a subject consists of the claims that tokens share', () => {
    const first = principalWith({ iss: 'i', client_id: 'c', exp: 1, jti: 'x' })
    assert.equal(principalWith({ iss: 'i', client_id: 'c', exp: 2, jti: 'y' }), first)
    assert.notEqual(principalWith({ iss: 'i', client_id: 'd', exp: 1, jti: 'x' }), first)
  })
})
