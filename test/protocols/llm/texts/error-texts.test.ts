import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import { errorTexts } from '../../../../src/protocols/llm/texts/error-texts.ts'
import { replyTexts } from '../../../../src/protocols/llm/texts/extract-texts.ts'

test('texts of errors', async (t) => {
  await t.test('are found in those of each provider, except codes', () => {
    const errors: readonly (readonly [JsonObject, readonly string[]])[] = [
      [{ error: { message: 'a', type: 'no', param: 'no', code: 'no' } }, ['a']],
      [{ error: 'a' }, ['a']],
      [{ error: { message: 'a', code: 502, metadata: { raw: 'b', provider_name: 'no' } } }, ['a', 'b']],
      [{ error: { message: 'a', code: 'no', innererror: { code: 'no', said: ['b'] } } }, ['a', 'b']],
      [{ type: 'error', error: { type: 'no', message: 'a' }, request_id: 'no' }, ['a']],
      [
        { error: { code: 400, status: 'no', message: 'a', details: [{ '@type': 'no', message: 'b' }] } },
        ['a', 'b'],
      ],
      [{ __type: 'no', message: 'a' }, ['a']],
      [{ Message: 'a' }, ['a']],
      [{ object: 'no', message: 'a', type: 'no', code: 400 }, ['a']],
      [{ detail: [{ type: 'no', loc: ['body'], msg: 'a', input: { content: 'b' } }] }, ['body', 'a', 'b']],
    ]
    for (const [error, expected] of errors)
      assert.deepEqual(
        errorTexts(error).map(({ role, scope, text }) => `${role} ${scope} ${text}`),
        expected.map((text) => `assistant messages ${text}`),
        JSON.stringify(error),
      )
  })

  await t.test('are found in responses with an error', () => {
    const error = { message: 'a', code: 'no' }
    for (const format of ['completions', 'messages', 'responses', 'generateContent'] as const)
      assert.deepEqual(
        replyTexts(format, { id: 'no', error }).map(({ text }) => text),
        ['a'],
        format,
      )
  })
})
