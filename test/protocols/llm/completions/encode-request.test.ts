import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Part } from '../../../../src/protocols/llm/chat/parts.ts'
import type { ChatRequest, Reasoning } from '../../../../src/protocols/llm/chat/request.ts'
import { completions } from '../../../../src/protocols/llm/completions/codec.ts'
import { plainRequest } from '../../../../src/protocols/llm/completions/standard-fields.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'

const request = (more: Partial<ChatRequest>): ChatRequest => ({
  model: 'm',
  instructions: [],
  turns: [],
  tools: [],
  stop: [],
  streaming: false,
  includeUsage: true,
  ...more,
})
const encode = (more: Partial<ChatRequest>) => {
  const losses = new Losses()
  const body = completions.encodeRequest(request(more), losses)
  return { body, losses: losses.fields }
}
const messagesOf = (role: 'user' | 'assistant', ...parts: Part[]) => {
  const { body, losses } = encode({ turns: [{ role, parts }] })
  return { messages: body.messages, losses }
}

test('requests encoded as Chat Completions', async (t) => {
  await t.test('have the results of tools first, and other content in a user message', () => {
    const { messages, losses } = messagesOf(
      'user',
      { type: 'text', text: 'Look' },
      {
        type: 'toolResult',
        id: 'a',
        isError: true,
        parts: [
          { type: 'text', text: 'shot' },
          { type: 'image', source: { base64: 'AA==', mediaType: 'image/png' } },
        ],
        cache: {},
      },
      { type: 'toolResult', id: 'b', parts: [] },
    )
    assert.deepEqual(messages, [
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [{ type: 'text', text: 'shot', cache_control: { type: 'ephemeral' } }],
      },
      { role: 'tool', tool_call_id: 'b', content: '' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          { type: 'text', text: 'Look' },
        ],
      },
    ])
    assert.deepEqual(losses, ['messages.content.tool_result.is_error'])
  })

  await t.test('omit unsupported fields, by name', () => {
    assert.deepEqual(messagesOf('user', { type: 'image', source: { fileId: 'f' } }), {
      messages: [],
      losses: ['messages.content.image.file_id'],
    })
    assert.deepEqual(messagesOf('user', { type: 'file', source: { url: 'https://a' } }), {
      messages: [],
      losses: ['messages.content.file.url'],
    })
    assert.deepEqual(messagesOf('user', { type: 'refusal', text: 'a' }).losses, ['messages.content.type'])
    assert.deepEqual(messagesOf('assistant', { type: 'audio', base64: '', format: 'wav' }).losses, [
      'messages.content.type',
    ])
  })

  await t.test('omit tool settings without tools', () => {
    assert.deepEqual(encode({ toolChoice: 'auto', parallelTools: false }), {
      body: { model: 'm', messages: [] },
      losses: [],
    })
    assert.deepEqual(encode({ toolChoice: 'required' }).losses, ['tool_choice'])
  })

  await t.test('convert thinking budgets to efforts', () => {
    const efforts = (...all: Reasoning[]) =>
      all.map((reasoning) => encode({ reasoning }).body.reasoning_effort)
    assert.deepEqual(
      efforts(
        { budgetTokens: 0 },
        { budgetTokens: 1024 },
        { budgetTokens: 2048 },
        { budgetTokens: 5000 },
        { budgetTokens: 8192 },
        { budgetTokens: 31_999 },
        { adaptive: true },
        { adaptive: true, effort: 'low' },
        { visible: true },
      ),
      ['none', 'low', 'medium', 'high', 'xhigh', 'max', 'high', 'low', undefined],
    )
  })

  await t.test('always request the usage of a stream', () => {
    assert.deepEqual(encode({ streaming: true, includeUsage: false }).body, {
      model: 'm',
      messages: [],
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  await t.test('have a service tier only if its name is valid', () => {
    assert.equal(encode({ serviceTier: 'standard_only' }).body.service_tier, 'default')
    assert.deepEqual(encode({ serviceTier: 'gold' }).losses, ['service_tier'])
  })

  await t.test('can be had without extensions', () => {
    const { body } = encode({
      instructions: [{ type: 'text', text: 'a', cache: {} }],
      turns: [
        {
          role: 'assistant',
          parts: [
            { type: 'thinking', text: 'b' },
            { type: 'toolCall', id: 'c', name: 'f', arguments: '', signature: 's' },
          ],
        },
      ],
      tools: [{ name: 'f', parameters: {}, cache: {} }],
    })
    const losses = new Losses()
    assert.deepEqual(plainRequest(body, losses), {
      model: 'm',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'a' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
    })
    assert.deepEqual(losses.fields, [
      'messages.content.cache_control',
      'messages.reasoning_content',
      'messages.tool_calls.extra_content',
      'tools.cache_control',
    ])
  })
})
