import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { modelList } from '../../../../src/protocols/llm/models/model-list.ts'

suite('a list of models', () => {
  test('has the format of OpenAI', () => {
    assert.deepEqual(modelList('completions', ['a', 'b'], 1), {
      data: [
        { id: 'a', object: 'model', created: 1, owned_by: 'openai' },
        { id: 'b', object: 'model', created: 1, owned_by: 'openai' },
      ],
      object: 'list',
    })
  })

  test('has the format of Anthropic, which clients of OpenAI can read', () => {
    assert.deepEqual(modelList('messages', ['a', 'b'], 1_700_000_000), {
      data: ['a', 'b'].map((id) => ({
        id,
        object: 'model',
        created: 1_700_000_000,
        owned_by: 'openai',
        type: 'model',
        display_name: id,
        created_at: '2023-11-14T22:13:20.000Z',
      })),
      object: 'list',
      has_more: false,
      first_id: 'a',
      last_id: 'b',
    })
    assert.deepEqual(modelList('messages', [], 0), {
      data: [],
      object: 'list',
      has_more: false,
      first_id: null,
      last_id: null,
    })
  })

  test('has the format of Google', () => {
    const methods = ['generateContent', 'streamGenerateContent', 'countTokens']
    assert.deepEqual(modelList('generateContent', ['a'], 1), {
      models: [{ name: 'models/a', displayName: 'a', supportedGenerationMethods: methods }],
    })
  })
})
