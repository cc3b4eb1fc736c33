import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadRequest } from '../../../../src/protocols/llm/chat/codec.ts'
import { promptOf } from '../../../../src/protocols/llm/token-count/prompt.ts'

const picture = 'data:image/png;base64,' + 'iVBORw0KGgo'.repeat(100)

test('the prompt for a token count', async (t) => {
  await t.test('contains the texts of a conversation, its tools, and their results', () => {
    const { texts } = promptOf(
      'completions',
      {
        model: 'm',
        messages: [
          { role: 'system', content: 'be brief' },
          { role: 'user', content: [{ type: 'text', text: 'weather?' }] },
          {
            role: 'assistant',
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'sky', arguments: '{"at":"x"}' } },
            ],
          },
          { role: 'tool', tool_call_id: 'call_1', content: 'grey' },
        ],
        tools: [
          {
            type: 'function',
            function: { name: 'sky', description: 'looks', parameters: { type: 'object' } },
          },
        ],
      },
      {},
    )
    assert.deepEqual(texts, [
      'be brief',
      'weather?',
      'sky',
      '{"at":"x"}',
      'grey',
      'sky',
      'looks',
      '{"type":"object"}',
    ])
  })

  await t.test('contains no bytes of images, for which an estimate is used', () => {
    const message = (content: unknown) => ({ model: 'm', messages: [{ role: 'user', content }] })
    const said = { type: 'text', text: 'what is this?' }
    const without = promptOf('completions', message([said]), {})
    const withIt = promptOf(
      'completions',
      message([said, { type: 'image_url', image_url: { url: picture } }]),
      {},
    )
    assert.deepEqual(withIt.texts, without.texts)
    assert.equal(withIt.moreTokens - without.moreTokens, 765)
  })

  await t.test('is the same in every format', () => {
    const asked = [
      promptOf('completions', { model: 'm', messages: [{ role: 'user', content: 'hi' }] }, {}),
      promptOf('messages', { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }, {}),
      promptOf('anthropicTokenCount', { model: 'm', messages: [{ role: 'user', content: 'hi' }] }, {}),
      promptOf('responses', { model: 'm', input: 'hi' }, {}),
      promptOf('generateContent', { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }, { model: 'm' }),
      promptOf(
        'geminiCountTokens',
        { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
        { model: 'm' },
      ),
      promptOf('converse', { messages: [{ role: 'user', content: [{ text: 'hi' }] }] }, { model: 'm' }),
    ]
    for (const prompt of asked) assert.deepEqual(prompt, { texts: ['hi'], moreTokens: 6 })
  })

  await t.test("contains the texts of embeddings and rerank requests, or the client's token ids", () => {
    assert.deepEqual(promptOf('embeddings', { input: ['a', 'b'] }, {}), { texts: ['a', 'b'], moreTokens: 0 })
    assert.deepEqual(promptOf('embeddings', { input: [[1, 2], [3]] }, {}), { texts: [], moreTokens: 3 })
    assert.deepEqual(promptOf('rerank', { query: 'q', documents: ['a', { text: 'b' }] }, {}).texts, [
      'q',
      'a',
      'b',
    ])
    assert.deepEqual(promptOf('embeddings', {}, {}), { texts: [], moreTokens: 0 })
  })

  await t.test('is undefined for an invalid request', () => {
    assert.throws(() => promptOf('anthropicTokenCount', { model: 'm', messages: 5 }, {}), BadRequest)
  })
})
