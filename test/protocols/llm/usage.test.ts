import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usageIn as converseUsage } from '../../../src/protocols/llm/converse/usage.ts'
import { usageFrom as completionsUsage } from '../../../src/protocols/llm/completions/usage.ts'
import { usageOf as messagesUsage } from '../../../src/protocols/llm/messages/usage.ts'
import { type Usage, withoutCaches } from '../../../src/protocols/llm/usage.ts'

const counted = (usage: Usage | undefined) => {
  assert.ok(usage)
  const { inputTokens, totalTokens } = withoutCaches(usage)
  return [usage.inputTokens, usage.totalTokens, inputTokens, totalTokens]
}

test('usage without cache tokens', async (t) => {
  const caches = { cache_read_input_tokens: 100, cache_creation_input_tokens: 20 }

  await t.test('equals that of Anthropic and Bedrock', () => {
    const said = { input_tokens: 10, output_tokens: 5, ...caches }
    assert.deepEqual(counted(messagesUsage(said)), [130, 135, 10, 15])
    const told = { inputTokens: 10, outputTokens: 5, totalTokens: 15, cacheReadInputTokens: 100 }
    assert.deepEqual(counted(converseUsage(told)), [110, 115, 10, 15])
  })

  await t.test('has no total without usage of the output', () => {
    assert.deepEqual(counted(messagesUsage({ input_tokens: 10, ...caches })), [130, undefined, 10, undefined])
  })

  await t.test('is unchanged if cached tokens are part of the input, or absent', () => {
    const openai = completionsUsage({
      prompt_tokens: 130,
      completion_tokens: 5,
      total_tokens: 135,
      prompt_tokens_details: { cached_tokens: 100 },
    })
    assert.deepEqual(counted(openai), [130, 135, 130, 135])
    for (const usage of [messagesUsage({ input_tokens: 10, output_tokens: 5 }), { outputTokens: 5 }, {}]) {
      assert.ok(usage)
      assert.equal(withoutCaches(usage), usage)
    }
  })

  await t.test('keeps all other counts', () => {
    const usage = messagesUsage({ input_tokens: 10, output_tokens: 5, ...caches }) ?? {}
    assert.deepEqual(withoutCaches(usage), { ...usage, inputTokens: 10, totalTokens: 15 })
  })
})
