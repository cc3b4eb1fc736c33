import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientName } from '../../../../src/protocols/llm/members/client-field-names.ts'

test("a lost field has the name of the client's format", () => {
  assert.equal(clientName('messages', 'stop'), 'stop_sequences')
  assert.equal(clientName('generateContent', 'top_k'), 'generationConfig.topK')
})

test('a nested field keeps its name', () => {
  assert.equal(clientName('responses', 'response_format.name'), 'text.format.name')
})

test('a field with the same or no other name keeps its name', () => {
  assert.equal(clientName('completions', 'seed'), 'seed')
  assert.equal(clientName('messages', 'top_k'), 'top_k')
  assert.equal(clientName('responses', 'tools.web_search'), 'tools.web_search')
})

test("reasoning of earlier turns has the name of the client's format", () => {
  assert.equal(clientName('messages', 'messages.reasoning_content'), 'messages.content.thinking')
  assert.equal(clientName('completions', 'messages.thinking'), 'messages.reasoning_content')
  for (const name of [
    'messages.content.redacted_thinking',
    'messages.content.thinking',
    'messages.reasoning_content',
    'messages.thinking',
  ])
    assert.equal(clientName('responses', name), 'input.reasoning', name)
})
