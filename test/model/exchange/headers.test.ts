import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers } from '../../../src/model/exchange/headers.ts'

const sent = (): Headers =>
  new Headers(['x-user', 'a', 'b', '1', 'x_user', 'c', 'x-user', 'd', 'x-usex', 'e'])

test('a field that is set replaces every spelling that servers read as its name', () => {
  const headers = sent()
  headers.set('x-user', 'new')
  assert.deepEqual(headers.raw, ['x-user', 'new', 'b', '1', 'x-usex', 'e'])
  headers.set('x_user', 'newer')
  assert.deepEqual(headers.raw, ['b', '1', 'x-usex', 'e', 'x_user', 'newer'])
})

test('a field that is added stays beside its own values, and beside no other spelling', () => {
  const headers = sent()
  headers.add('x-user', 'new')
  assert.deepEqual(headers.raw, ['x-user', 'a', 'b', '1', 'x-user', 'd', 'x-usex', 'e', 'x-user', 'new'])
})

test('a field that is deleted takes spellings with underscores along', () => {
  const headers = sent()
  headers.delete('x-user')
  assert.deepEqual(headers.raw, ['b', '1', 'x-usex', 'e'])
})

test('deleting a spelling with an underscore leaves the one without', () => {
  const headers = sent()
  headers.delete('x_user')
  assert.deepEqual(headers.raw, ['x-user', 'a', 'b', '1', 'x-user', 'd', 'x-usex', 'e'])
})

test('spellings that are set together stand together', () => {
  const headers = new Headers()
  const both = ['x-user', 'x_user']
  for (const name of both) headers.set(name, name, both)
  headers.delete('x_user', ['x-user'])
  assert.deepEqual(headers.raw, ['x-user', 'x-user'])
})

test('a header section keeps its order, and what is joined is joined as fields are', () => {
  const headers = new Headers(['cookie', 'a=1', 'x', '1', 'cookie', 'b=2', 'x', '2'])
  assert.deepEqual([headers.get('cookie'), headers.get('x')], ['a=1; b=2', '1, 2'])
})
