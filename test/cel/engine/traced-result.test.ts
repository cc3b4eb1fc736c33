import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from '../../../src/cel/compile.ts'
import { ExchangeContext } from '../../../src/cel/context/exchange-context.ts'
import { tracedResult } from '../../../src/cel/engine/traced-result.ts'
import { exchange } from '../../../src/testing/exchange.ts'

const told = (text: string): unknown => {
  const x = exchange({ headers: { authorization: 'Basic YWxpY2U6cGFzc3dvcmQ=' }, body: 'private' })
  const { value, error } = compile(text).evaluate(new ExchangeContext(x))
  return tracedResult(error ? { error: error.message } : { value })
}

test('the traced result of an expression', async (t) => {
  const outcomes: Readonly<Record<string, unknown>> = {
    true: true,
    '1 + 2': 3,
    '1.5': 1.5,
    null: null,
    'duration("1500ms")': '1.5s',
    'request.headers["absent"]': { error: 'no such key: absent' },
    'string(request.body)': { type: 'string', size: 7 },
    'request.body': { type: 'bytes', size: 7 },
    'base64.decode(request.headers.authorization.substring(6))': { type: 'bytes', size: 14 },
    '[1, 2]': { type: 'list', size: 2 },
    '{"a": request.headers.authorization}': { type: 'map', size: 1 },
    request: { type: 'record' },
    'request.headers': { type: 'record' },
  }
  for (const [text, outcome] of Object.entries(outcomes))
    await t.test(text, () => {
      assert.deepEqual(told(text), outcome)
    })
})
