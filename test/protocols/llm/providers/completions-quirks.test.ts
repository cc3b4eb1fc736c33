import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import { codecs } from '../../../../src/protocols/llm/codecs.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { fitCompletions } from '../../../../src/protocols/llm/providers/completions-quirks.ts'

const tool = { name: 'f', input_schema: { type: 'object' } }

/** The provider's request for a Messages client, and its losses. */
const fitted = (model: string, more: JsonObject, provider = 'openai') => {
  const asked = { model, max_tokens: 9000, messages: [{ role: 'user', content: 'Hi' }], ...more }
  const losses = new Losses()
  const request = codecs.messages.decodeRequest(asked, {}, losses)
  const body = fitCompletions(codecs.completions.encodeRequest(request, losses), provider, losses)
  return { body, losses: losses.fields }
}

test('tools and thinking of a Messages client', async (t) => {
  const more = { tools: [tool], thinking: { type: 'enabled', budget_tokens: 2048 } }

  await t.test('disable thinking for GPT-5.4 and newer, which reply 400 otherwise', () => {
    for (const model of [
      'gpt-5.4',
      'gpt-5.4-mini',
      'gpt-5.10',
      'gpt-6',
      'openai/gpt-5.5',
      'GPT-5.6-2026-01-01',
    ]) {
      const { body, losses } = fitted(model, more)
      assert.equal(body.reasoning_effort, 'none', model)
      assert.deepEqual(losses, ['reasoning'], model)
    }
  })

  await t.test('enable thinking for older models', () => {
    for (const model of [
      'gpt-5',
      'gpt-5-mini',
      'gpt-5.2',
      'gpt-4o',
      'gpt-oss-120b',
      'o3',
      'my-gpt-5.4',
      'gpt-5.4x',
    ]) {
      const { body, losses } = fitted(model, more)
      assert.equal(body.reasoning_effort, 'medium', model)
      assert.deepEqual(losses, [], model)
    }
  })

  await t.test('do not conflict if there is only one of them', () => {
    assert.equal(fitted('gpt-5.4', { thinking: more.thinking }).body.reasoning_effort, 'medium')
    const tools = fitted('gpt-5.4', { tools: [tool] })
    // These think unless thinking is disabled.
    assert.equal(tools.body.reasoning_effort, 'none')
    assert.deepEqual(tools.losses, [])
  })

  await t.test('are unchanged for a provider that handles both', () => {
    assert.equal(fitted('openai/gpt-5.4', more, 'openrouter').body.reasoning_effort, 'medium')
  })
})

test('prompt cache marks', async (t) => {
  const cache_control = { type: 'ephemeral' }
  const more = {
    system: [{ type: 'text', text: 'Be brief.', cache_control }],
    tools: [{ ...tool, cache_control }],
    messages: [
      {
        role: 'user',
        content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello', cache_control }] },
      { role: 'user', content: 'And?' },
    ],
  }
  const prompt_cache_breakpoint = { mode: 'explicit' }

  await t.test('are breakpoints for the models that accept them', () => {
    const { body, losses } = fitted('gpt-5.6', more)
    assert.deepEqual(body.messages, [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.', prompt_cache_breakpoint }] },
      { role: 'user', content: [{ type: 'text', text: 'Hi', prompt_cache_breakpoint }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
      { role: 'user', content: 'And?' },
    ])
    assert.equal(JSON.stringify(body).includes('cache_control'), false)
    assert.deepEqual(losses, [
      'messages.content.cache_control.ttl',
      'messages.content.cache_control',
      'tools.cache_control',
    ])
  })

  await t.test('are dropped, and reported, for others', () => {
    const { body, losses } = fitted('gpt-5.5', more)
    assert.equal(/cache_control|breakpoint/.test(JSON.stringify(body)), false)
    assert.deepEqual(losses, ['messages.content.cache_control', 'tools.cache_control'])
  })

  await t.test('are breakpoints in Responses as well', () => {
    const losses = new Losses()
    const asked = { model: 'gpt-5.6-mini', max_tokens: 100, ...more }
    const body = codecs.responses.encodeRequest(codecs.messages.decodeRequest(asked, {}, losses), losses)
    assert.equal(body.instructions, undefined)
    assert.deepEqual(body.input, [
      {
        type: 'message',
        role: 'system',
        content: [{ type: 'input_text', text: 'Be brief.', prompt_cache_breakpoint }],
      },
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: 'Hi', prompt_cache_breakpoint }],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And?' }] },
    ])
    assert.deepEqual(losses.fields, ['cache_control.ttl', 'cache_control', 'tools.cache_control'])
  })

  await t.test('of the result of a tool are moved to its last part', () => {
    const result = { type: 'tool_result', tool_use_id: 'c', content: 'ok', cache_control }
    const call = { type: 'tool_use', id: 'c', name: 'f', input: {} }
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result] },
    ]
    const outputs = ['gpt-5.6', 'gpt-5.5'].map((model) => {
      const request = codecs.messages.decodeRequest({ model, max_tokens: 9, messages }, {}, new Losses())
      return (codecs.responses.encodeRequest(request, new Losses()).input as JsonObject[]).at(-1)?.output
    })
    assert.deepEqual(outputs, [[{ type: 'input_text', text: 'ok', prompt_cache_breakpoint }], 'ok'])
  })
})

test('an output format of Markdown is not refused', () => {
  const losses = new Losses()
  const asked = {
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hi' }],
    output_format: 'markdown',
  }
  assert.equal(codecs.messages.decodeRequest(asked, {}, losses).output, undefined)
  for (const format of ['markdown', { type: 'markdown' }])
    assert.equal(
      codecs.responses.decodeRequest({ model: 'm', input: 'Hi', text: { format } }, {}, losses).output,
      undefined,
    )
  assert.deepEqual(losses.fields, ['output_format', 'text.format'])
})
