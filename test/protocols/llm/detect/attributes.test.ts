import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  DetectedStreamAttributes,
  detectedReplyAttributes,
} from '../../../../src/protocols/llm/detect/attributes.ts'

suite('a response in an unknown format', () => {
  for (const [words, body] of [
    ['of Responses', { usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 } }],
    ['of Chat Completions', { usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } }],
    ['of Messages', { usage: { input_tokens: 3, output_tokens: 2, cache_read_input_tokens: 2 } }],
    ['of Gemini', { usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 } }],
  ] as const)
    test(`has usage in words ${words}`, () => {
      const { usage } = detectedReplyAttributes(body)
      assert.deepEqual([usage?.inputTokens, usage?.outputTokens, usage?.totalTokens], [5, 2, 7])
    })

  test('has no usage otherwise', () => {
    for (const usage of [undefined, null, 'much', { type: 'duration', seconds: 3 }, []])
      assert.equal(detectedReplyAttributes({ usage }).usage, undefined)
  })
})

suite('a stream in an unknown format', () => {
  test('may have usage in any event, or in several', () => {
    const facts = new DetectedStreamAttributes()
    facts.push(undefined, '{"type":"message_start","message":{"model":"m","usage":{"input_tokens":5}}}')
    facts.push(undefined, '{"delta":"\\"usage\\""}')
    facts.push('x', '{"type":"message_delta","usage":{"output_tokens":2}}')
    const { model, usage } = facts.attributes
    assert.deepEqual([model, usage?.inputTokens, usage?.outputTokens], ['m', 5, 2])
  })

  test('ignores invalid JSON', () => {
    const facts = new DetectedStreamAttributes()
    for (const data of ['[DONE]', '"usage"', '{"usage":', '["usage"]', '{"usage":null}'])
      facts.push(undefined, data)
    assert.equal(facts.attributes.usage, undefined)
  })
})
