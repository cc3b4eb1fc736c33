import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lateByKey, lateList } from '../../../src/model/trace/lazy-json.ts'

const things = ['a', 'b', 'c'].map((key) => ({ key }))

test('parts of lazy JSON are created in order, one at a time', () => {
  const made: string[] = []
  const make = ({ key }: { readonly key: string }) => {
    made.push(key)
    return { name: key }
  }
  for (const parts of [lateByKey(things, make), lateList(things, make)]) {
    assert.deepEqual([parts.length, made.splice(0)], [3, []])
    const iterator = parts[Symbol.iterator]()
    iterator.next()
    const second = iterator.next()
    assert.deepEqual(second.done ? undefined : second.value[1], { name: 'b' })
    assert.deepEqual(made.splice(0), ['a', 'b'])
  }
})

test('parts of lazy JSON are serialized as plain data', () => {
  const dump = { byKey: lateByKey(things, ({ key }) => ({ key })), list: lateList(things, ({ key }) => key) }
  assert.equal(
    JSON.stringify(dump),
    '{"byKey":{"a":{"key":"a"},"b":{"key":"b"},"c":{"key":"c"}},"list":["a","b","c"]}',
  )
})
