import assert from 'node:assert/strict'
import { test } from 'node:test'
import { a2aCallOf } from '../../../src/protocols/a2a/call.ts'

const cases: readonly (readonly [text: string, call: object | undefined])[] = [
  ['{"jsonrpc":"2.0","id":"1","method":"message/send","params":{}}', { method: 'message/send', id: '"1"' }],
  [
    '{"jsonrpc":"2.0","method":"SendMessage","id":9007199254740993}',
    { method: 'SendMessage', id: '9007199254740993' },
  ],
  ['{"jsonrpc":"2.0","method":"tasks/get"}', { method: 'tasks/get', id: 'null' }],
  ['{"method":"m","id":null}', { method: 'm', id: 'null' }],
  ['{"method":"m","id":{"a":1}}', { method: 'm', id: 'null' }],
  ['{"method":"m","id":1.2.3}', { method: 'm', id: 'null' }],
  ['{"method":"m","id":"\u0001"}', { method: 'm', id: 'null' }],
  ['{"id":1,"method":7}', undefined],
  ['{"id":1,"result":{}}', undefined],
  ['[{"id":1,"method":"m"}]', undefined],
  ['not json', undefined],
]

for (const [text, call] of cases)
  test(`parses ${text}`, () => {
    assert.deepEqual(a2aCallOf(text), call)
  })

test('limits the length of methods', () => {
  assert.equal(a2aCallOf(`{"method":"${'x'.repeat(1000)}"}`)?.method.length, 129)
})
