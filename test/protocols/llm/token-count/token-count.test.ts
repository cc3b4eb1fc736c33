import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadReply } from '../../../../src/protocols/llm/chat/codec.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { countedTokens } from '../../../../src/protocols/llm/token-count/reply.ts'
import { translateCall } from '../../../../src/protocols/llm/translate-call.ts'

const none = { get: () => undefined }
const settings = { hostOverridden: false }

/**
 * The request to `InvokeModel` inside of one to `CountTokens` (`@aws-sdk/client-bedrock-runtime@3.1163.0`,
 * `CountTokensInput`).
 */
const counted = (body: Record<string, unknown>): unknown => {
  const call = translateCall('bedrock', settings, 'anthropicTokenCount', 'm')?.(body, 'm', new Losses())
  const { input } = call?.body as { input: { invokeModel: { body: string } } }
  return JSON.parse(Buffer.from(input.invokeModel.body, 'base64').toString())
}

test('a token count of Bedrock has a complete request', async (t) => {
  const messages = [{ role: 'user', content: 'größer' }]

  await t.test("without the model, with a token limit and Bedrock's version", () => {
    assert.deepEqual(counted({ model: 'm', stream: true, messages, system: 's' }), {
      max_tokens: 1,
      messages,
      system: 's',
      anthropic_version: 'bedrock-2023-05-31',
    })
  })

  await t.test("with the client's token limit", () => {
    assert.deepEqual(counted({ messages, max_tokens: 9, anthropic_version: '2023-06-01' }), {
      max_tokens: 9,
      messages,
      anthropic_version: 'bedrock-2023-05-31',
    })
  })

  await t.test('and its response becomes one of Anthropic', () => {
    const call = translateCall(
      'bedrock',
      settings,
      'anthropicTokenCount',
      'm',
    )?.({ messages }, 'm', new Losses())
    assert.deepEqual(call?.reply({ inputTokens: 12 }, none), { input_tokens: 12 })
    for (const answer of [{}, { inputTokens: '12' }, { inputTokens: null }])
      assert.throws(() => call.reply(answer, none), BadReply)
  })
})

test('other providers count in the format of the client', () => {
  assert.equal(translateCall('vertex', settings, 'anthropicTokenCount', 'claude-x'), undefined)
  assert.equal(translateCall('vertex', settings, 'geminiCountTokens', 'gemini-x'), undefined)
  assert.equal(translateCall('anthropic', settings, 'anthropicTokenCount', 'claude-x'), undefined)
  assert.equal(translateCall('openai', settings, 'embeddings', 'm'), undefined)
  assert.equal(translateCall('custom', settings, 'rerank', 'm'), undefined)
})

test('the count is in the response', () => {
  assert.equal(countedTokens({ input_tokens: 5 }), 5)
  assert.equal(countedTokens({ totalTokens: 0 }), 0)
  for (const body of [{}, { input_tokens: '5' }, { input_tokens: -1 }, { totalTokens: 1.5 }])
    assert.equal(countedTokens(body), undefined)
})
