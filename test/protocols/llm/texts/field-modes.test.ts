import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestTexts } from '../../../../src/protocols/llm/texts/extract-texts.ts'

test('field names are case-insensitive like in some servers', () => {
  const body = {
    ſystem: 'one',
    Messages: [
      { role: 'user', content: 'two', Content: 'three' },
      { role: 'user', CONTENT: [{ type: 'text', Text: 'four' }] },
      { role: 'user', content: [{ inputtext: 'five' }] },
    ],
    Model: 'no text',
  }
  assert.deepEqual(
    requestTexts('completions', body).map(({ text }) => text),
    ['one', 'two', 'three', 'four', 'five'],
  )
})
