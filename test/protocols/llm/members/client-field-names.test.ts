import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientName } from '../../../../src/protocols/llm/members/client-field-names.ts'

test('a client knows a field by the name that its own format has for it', () => {
  assert.equal(clientName('messages', 'stop'), 'stop_sequences')
  assert.equal(clientName('generateContent', 'top_k'), 'generationConfig.topK')
})

test('what is within a field keeps its name', () => {
  assert.equal(clientName('responses', 'response_format.name'), 'text.format.name')
})

test('what is called the same, or has no other name, stays as it is', () => {
  assert.equal(clientName('completions', 'seed'), 'seed')
  assert.equal(clientName('messages', 'top_k'), 'top_k')
  assert.equal(clientName('responses', 'tools.web_search'), 'tools.web_search')
})

test('thoughts of turns before are called as the client sent them', () => {
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
