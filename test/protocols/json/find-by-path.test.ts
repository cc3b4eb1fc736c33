import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonPeek } from '../../../src/protocols/json/find-by-path.ts'

const peek = jsonPeek(['id', 'method', 'result', 'result.kind', 'result.status.state', 'error.code'])
const found = (text: string): object => Object.fromEntries(peek(text))

const cases: readonly (readonly [what: string, text: string, found: object])[] = [
  [
    'values as they are written',
    '{"id":12345678901234567890,"method":"a\\u0062"}',
    { id: '12345678901234567890', method: '"a\\u0062"' },
  ],
  ['values inside of others', '{"error":{"message":"no","code":-32601}}', { 'error.code': '-32601' }],
  ['that an object is there', '{"result":{}}', { result: '{' }],
  ['that a list is there, and nothing inside of it', '{"result":[{"kind":"x"}]}', { result: '[' }],
  ['words', '{"id":null,"method":true}', { id: 'null', method: 'true' }],
  ['the last of two', '{"method":"a","method":"b"}', { method: '"b"' }],
  ['a path behind other members', '{"a":[1,{"id":"no"},"]"],"b":{"id":"}"},"id":"yes"}', { id: '"yes"' }],
  ['all of it between blanks', ' {\n"id" :\t1 , "method" : "x" }\r\n', { id: '1', method: '"x"' }],
  [
    'what stands before the end of a cut text',
    '{"id":1,"method":"a","result":{"kind":"task","status":{"state":"wor',
    { id: '1', method: '"a"', result: '{', 'result.kind': '"task"' },
  ],
  ['no number that may go on', '{"id":12', {}],
  ['no text that may go on after a backslash', '{"id":"12\\', {}],
  ['nothing in a list', '[{"id":1}]', {}],
  ['nothing in nothing', '', {}],
  ['nothing in a text', '"id"', {}],
  ['nothing after what is no JSON', '{"id":1,method:"x"}', { id: '1' }],
  ['nothing where a name has no value', '{"id" 1}', {}],
  ['nothing where a value is missing', '{"id":}', {}],
]

for (const [what, text, expected] of cases)
  test(`finds ${what}`, () => {
    assert.deepEqual(found(text), expected)
  })

test('handles any depth', () => {
  const deep = `{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)},"result":${'{"result":'.repeat(10_000)}1`
  assert.deepEqual(found(deep), { result: '{' })
})

test('agrees with JSON.parse wherever a text is truncated', () => {
  const message = {
    jsonrpc: '2.0',
    id: 'a"\\',
    error: { code: -1, data: [{}, [], 'x'] },
    result: { kind: 'k', status: { state: 's' } },
  }
  const text = JSON.stringify(message)
  const whole = found(text)
  assert.deepEqual(whole, {
    id: '"a\\"\\\\"',
    'error.code': '-1',
    result: '{',
    'result.kind': '"k"',
    'result.status.state': '"s"',
  })
  for (let i = 0; i < text.length; i++)
    for (const [path, value] of Object.entries(found(text.slice(0, i))))
      assert.equal(value, whole[path as keyof typeof whole])
})
