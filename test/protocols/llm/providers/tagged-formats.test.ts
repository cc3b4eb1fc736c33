import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copilot } from '../../../../src/protocols/llm/providers/copilot.ts'
import { taggedFormats } from '../../../../src/protocols/llm/providers/tagged-formats.ts'

const settings = { hostOverridden: false }
const model = (...tags: string[]) => ({ rates: {}, tiers: [], tags })

test('catalog tags list the formats of a model, in order', () => {
  const models = {
    'gpt-5': model('fast', 'completions', 'responses'),
    'claude-x': model('messages'),
    'grok-4': model('cheap'),
  }
  const service = taggedFormats(copilot, { providers: { copilot: { models } } }, 'copilot')
  const formats = (name: string) => service.formats(name, settings)
  assert.deepEqual(formats('gpt-5'), ['completions', 'responses', 'embeddings', 'rerank'])
  assert.deepEqual(formats('claude-x'), ['messages', 'embeddings', 'rerank'])
  // Without a tag for this provider, the model name decides.
  for (const name of ['grok-4', 'gpt-4o', 'toString'])
    assert.deepEqual(formats(name), copilot.formats(name, settings))
})

test('tags of another provider, and catalogs without tags, have no effect', () => {
  const catalog = { providers: { openai: { models: { 'gpt-5': model('completions') } } } }
  assert.equal(taggedFormats(copilot, catalog, 'copilot'), copilot)
  assert.equal(taggedFormats(copilot, undefined, 'copilot'), copilot)
})
