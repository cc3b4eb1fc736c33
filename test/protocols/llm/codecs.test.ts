import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codecs } from '../../../src/protocols/llm/codecs.ts'

test('codecs', async (t) => {
  await t.test('exist for every conversation format, by its name', () => {
    assert.deepEqual(
      Object.entries(codecs).map(([name, { format }]) => [name, format]),
      ['completions', 'messages', 'responses', 'generateContent', 'converse'].map((name) => [name, name]),
    )
  })
})
