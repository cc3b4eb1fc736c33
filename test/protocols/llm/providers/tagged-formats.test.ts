import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copilot } from '../../../../src/protocols/llm/providers/copilot.ts'
import { taggedFormats } from '../../../../src/protocols/llm/providers/tagged-formats.ts'

const settings = { hostOverridden: false }
const model = (...tags: string[]) => ({ rates: {}, tiers: [], tags })

test('tags of a catalog say in which formats a model is served, in their order', () => {
  const models = {
    'gpt-5': model('fast', 'completions', 'responses'),
    'claude-x': model('messages'),
    'grok-4': model('cheap'),
  }
  const service = taggedFormats(copilot, { providers: { copilot: { models } } }, 'copilot')
  const formats = (name: string) => service.formats(name, settings)
  assert.deepEqual(formats('gpt-5'), ['completions', 'responses', 'embeddings', 'rerank'])
  assert.deepEqual(formats('claude-x'), ['messages', 'embeddings', 'rerank'])
  // Whatever is said of nothing, or of something else, is guessed by the name.
  for (const name of ['grok-4', 'gpt-4o', 'toString'])
    assert.deepEqual(formats(name), copilot.formats(name, settings))
})

test('tags of another provider say nothing, nor does a catalog without any', () => {
  const catalog = { providers: { openai: { models: { 'gpt-5': model('completions') } } } }
  assert.equal(taggedFormats(copilot, catalog, 'copilot'), copilot)
  assert.equal(taggedFormats(copilot, undefined, 'copilot'), copilot)
})
