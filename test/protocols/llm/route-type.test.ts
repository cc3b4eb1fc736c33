import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultRoutes, routeTypes } from '../../../src/protocols/llm/route-type.ts'

const typeOf = routeTypes(defaultRoutes)

const types: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'completions',
  '/some/prefix/v1/chat/completions': 'completions',
  '/v1/chat/completions/': 'passthrough',
  '/v1/messages': 'messages',
  '/v1/messages/count_tokens': 'anthropicTokenCount',
  '/v1/messages/batches': 'passthrough',
  '/v1/projects/p/locations/l/publishers/anthropic/models/claude-x@2:rawPredict': 'messages',
  '/v1/projects/p/locations/l/publishers/anthropic/models/claude-x@2:streamRawPredict': 'messages',
  '/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict': 'anthropicTokenCount',
  '/v1beta/models/gemini-x:generateContent': 'generateContent',
  '/v1/models/gemini-x:generateContent': 'generateContent',
  '/v1/models/gemini-x:streamGenerateContent': 'generateContent',
  '/models/gemini-x:countTokens': 'geminiCountTokens',
  '/v1/responses': 'responses',
  '/v1/responses/compact': 'detect',
  '/v1/responses/resp_1': 'passthrough',
  '/v1/images/generations': 'detect',
  '/v1/images/edits': 'detect',
  '/v1/images/variations': 'detect',
  '/v1/embeddings': 'embeddings',
  '/v1/rerank': 'rerank',
  '/v2/rerank': 'rerank',
  '/model/anthropic.claude-v1:0/converse': 'converse',
  '/model/anthropic.claude-v1:0/converse-stream': 'converse',
  '/model/anthropic.claude-v1:0/invoke': 'invoke',
  '/model/anthropic.claude-v1:0/invoke-with-response-stream': 'invoke',
  '/model/anthropic.claude-v1:0/count-tokens': 'passthrough',
  '/v1/realtime': 'realtime',
  '/models': 'models',
  '/v1/models': 'models',
  '/v1/models/': 'models',
  '/v1/models/llama3:8b': 'models',
  '/models/llama3:8b': 'models',
  '/v1/models/gemini-embedding-001:batchEmbedContents': 'passthrough',
  '/models/imagen-4:predict': 'passthrough',
  '/modelsandmore': 'passthrough',
  '/v1/audio/speech': 'passthrough',
  '/': 'passthrough',
}

test('a path determines the route type', async (t) => {
  for (const [path, type] of Object.entries(types))
    await t.test(`${path}: ${type}`, () => {
      assert.equal(typeOf(path), type)
    })
})

test('configured routes', async (t) => {
  await t.test('are matched from the longest to the shortest, whatever their order', () => {
    const configured = routeTypes([
      { suffix: '*', type: 'detect' },
      { suffix: '/chat', type: 'completions' },
      { suffix: '/v2/chat', type: 'messages' },
    ])
    assert.deepEqual(['/chat', '/v2/chat', '/v1/chat', '/x'].map(configured), [
      'completions',
      'messages',
      'completions',
      'detect',
    ])
  })

  await t.test('do not match other paths without a star', () => {
    const configured = routeTypes([{ suffix: '/chat', type: 'completions' }])
    assert.deepEqual(['/chat', '/chats', ''].map(configured), ['completions', undefined, undefined])
  })

  await t.test('may be a single type', () => {
    assert.equal(routeTypes([{ suffix: '*', type: 'completions' }])('/v1/messages'), 'completions')
  })
})
