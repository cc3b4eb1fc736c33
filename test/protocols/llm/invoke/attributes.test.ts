import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  InvokeStreamAttributes,
  invokeReplyAttributes,
  invokeUsageHeaders,
} from '../../../../src/protocols/llm/invoke/attributes.ts'

const headers = (fields: Readonly<Record<string, string>>) => new Map(Object.entries(fields))

const piece = (value: unknown) =>
  JSON.stringify({ bytes: Buffer.from(JSON.stringify(value)).toString('base64'), p: 'abc' })

suite('a response of an invoked model', () => {
  test('has its usage in headers, with cache tokens beside the input', () => {
    const said = invokeUsageHeaders(
      headers({
        'x-amzn-bedrock-input-token-count': '7',
        'x-amzn-bedrock-output-token-count': '126',
        'x-amzn-bedrock-cache-read-input-token-count': '14486',
        'x-amzn-bedrock-cache-write-input-token-count': '0',
      }),
    )
    const { usage } = invokeReplyAttributes(said, { usage: { input_tokens: 1 } })
    assert.equal(usage?.inputTokens, 14_493)
    assert.equal(usage.providerInputTokens, 7)
    assert.equal(usage.cachedInputTokens, 14_486)
    assert.equal(usage.outputTokens, 126)
    assert.equal(usage.totalTokens, 14_619)
  })

  test("has its usage in the body if it is one of Anthropic's, and nowhere otherwise", () => {
    const odd = invokeUsageHeaders(headers({ 'x-amzn-bedrock-input-token-count': 'many' }))
    const body = { model: 'claude', usage: { input_tokens: 3, output_tokens: 4 } }
    const { model, usage } = invokeReplyAttributes(odd, body)
    assert.deepEqual([model, usage?.inputTokens, usage?.outputTokens], ['claude', 3, 4])
    assert.equal(invokeReplyAttributes(odd, { generation: 'Hi.', prompt_token_count: 3 }).usage, undefined)
    assert.equal(invokeReplyAttributes(odd, undefined).usage, undefined)
  })
})

suite('a stream of an invoked model', () => {
  test('has its usage in the last chunk, for any model', () => {
    const facts = new InvokeStreamAttributes()
    facts.push('chunk', piece({ generation: 'Hi.' }))
    const { usage: before } = facts.attributes
    assert.equal(before, undefined)
    facts.push(
      'chunk',
      piece({
        generation: '',
        'amazon-bedrock-invocationMetrics': {
          inputTokenCount: 7,
          outputTokenCount: 126,
          invocationLatency: 4069,
          firstByteLatency: 1117,
          cacheReadInputTokenCount: 14,
          cacheWriteInputTokenCount: 2,
        },
      }),
    )
    const { usage } = facts.attributes
    assert.deepEqual([usage?.inputTokens, usage?.outputTokens], [23, 126])
  })

  test("has partial usage earlier if it is of Anthropic's models", () => {
    const facts = new InvokeStreamAttributes()
    facts.push(
      'chunk',
      piece({
        type: 'message_start',
        message: { model: 'claude', usage: { input_tokens: 5, output_tokens: 1 } },
      }),
    )
    facts.push('chunk', piece({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hi.' } }))
    assert.equal(facts.attributes.model, 'claude')
    assert.equal(facts.attributes.usage?.inputTokens, 5)
  })

  test('ignores invalid chunks', () => {
    const facts = new InvokeStreamAttributes()
    for (const data of ['', '{', '[]', '{}', '{"bytes":7}', '{"bytes":"%%%"}', piece(null), piece('x')])
      facts.push('chunk', data)
    facts.push('chunk', piece({ 'amazon-bedrock-invocationMetrics': 'many' }))
    facts.push('throttlingException', '{"message":"slow down"}')
    assert.deepEqual(facts.attributes.usage, undefined)
  })
})
