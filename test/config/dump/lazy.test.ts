import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lazyByKey, lazyList } from '../../../src/config/dump/lazy.ts'

const things = ['a', 'b', 'c'].map((key) => ({ key }))

test('parts of a dump are made when they are looked at, one at a time', () => {
  const made: string[] = []
  const make = ({ key }: { readonly key: string }) => {
    made.push(key)
    return { name: key }
  }
  const byKey = lazyByKey(things, make)
  const list = lazyList(things, make)
  assert.deepEqual([Object.keys(byKey), list.length, made], [['a', 'b', 'c'], 3, []])
  assert.deepEqual([byKey.b, list[2], made], [{ name: 'b' }, { name: 'c' }, ['b', 'c']])
})

test('they are plain data to whoever writes them', () => {
  const dump = { byKey: lazyByKey(things, ({ key }) => ({ key })), list: lazyList(things, ({ key }) => key) }
  assert.equal(
    JSON.stringify(dump),
    '{"byKey":{"a":{"key":"a"},"b":{"key":"b"},"c":{"key":"c"}},"list":["a","b","c"]}',
  )
})
