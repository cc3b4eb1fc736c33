import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readJson, readJsonObject } from '../../../src/protocols/json/read-json.ts'

test('a text that may be JSON', async (t) => {
  await t.test('is parsed as any JSON value', () => {
    for (const value of [null, false, 0, '', [], {}, { a: [1, { b: null }] }])
      assert.deepEqual(readJson(JSON.stringify(value)), value)
  })

  await t.test('is undefined if it is invalid', () => {
    for (const text of ['', 'undefined', '{"a":', "{'a':1}", '{} x', '\uFEFF{}'])
      assert.equal(readJson(text), undefined)
  })

  await t.test('is an object only if it has members', () => {
    assert.deepEqual(readJsonObject('{"a":1}'), { a: 1 })
    for (const text of ['null', '[]', '"{}"', '1', '{']) assert.equal(readJsonObject(text), undefined)
  })
})
