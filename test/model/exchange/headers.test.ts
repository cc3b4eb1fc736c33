import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers } from '../../../src/model/exchange/headers.ts'

const sent = (): Headers =>
  new Headers(['x-user', 'a', 'b', '1', 'x_user', 'c', 'x-user', 'd', 'x-usex', 'e'])

test('setting a field replaces every spelling that servers treat as the same name', () => {
  const headers = sent()
  headers.set('x-user', 'new')
  assert.deepEqual(headers.raw, ['x-user', 'new', 'b', '1', 'x-usex', 'e'])
  headers.set('x_user', 'newer')
  assert.deepEqual(headers.raw, ['b', '1', 'x-usex', 'e', 'x_user', 'newer'])
})

test('adding a field keeps its own values, and removes other spellings', () => {
  const headers = sent()
  headers.add('x-user', 'new')
  assert.deepEqual(headers.raw, ['x-user', 'a', 'b', '1', 'x-user', 'd', 'x-usex', 'e', 'x-user', 'new'])
})

test('deleting a field deletes spellings with underscores, too', () => {
  const headers = sent()
  headers.delete('x-user')
  assert.deepEqual(headers.raw, ['b', '1', 'x-usex', 'e'])
})

test('deleting a spelling with an underscore keeps the one without', () => {
  const headers = sent()
  headers.delete('x_user')
  assert.deepEqual(headers.raw, ['x-user', 'a', 'b', '1', 'x-user', 'd', 'x-usex', 'e'])
})

test('spellings that are set together are kept together', () => {
  const headers = new Headers()
  const both = ['x-user', 'x_user']
  for (const name of both) headers.set(name, name, both)
  headers.delete('x_user', ['x-user'])
  assert.deepEqual(headers.raw, ['x-user', 'x-user'])
})

test('a header section keeps its order, and joins values by the rules of the field', () => {
  const headers = new Headers(['cookie', 'a=1', 'x', '1', 'cookie', 'b=2', 'x', '2'])
  assert.deepEqual([headers.get('cookie'), headers.get('x')], ['a=1; b=2', '1, 2'])
})
