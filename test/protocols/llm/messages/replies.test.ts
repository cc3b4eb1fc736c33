import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import { BadReply } from '../../../../src/protocols/llm/chat/codec.ts'
import type { ChatReply, Finish } from '../../../../src/protocols/llm/chat/reply.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { messages } from '../../../../src/protocols/llm/messages/codec.ts'
import { asJson, goldens } from './golden.ts'

const asked = { model: 'as-the-client-says', includeUsage: true }

test('golden responses of Messages', async (t) => {
  for (const golden of goldens('replies')) {
    await t.test(`decodes ${golden.name}`, () => {
      const losses = new Losses()
      assert.deepEqual(asJson(messages.decodeReply(golden.wire, losses)), golden.common)
      assert.deepEqual(losses.fields, golden.losses)
    })
    if (golden.readOnly === undefined)
      await t.test(`encodes ${golden.name}`, () => {
        const losses = new Losses()
        const written = messages.encodeReply(golden.common as unknown as ChatReply, asked, losses)
        assert.deepEqual(written, golden.written ?? golden.wire)
        assert.deepEqual(losses.fields, golden.writtenLosses ?? [])
      })
  }
})

test('decoding a response', async (t) => {
  const read = (body: JsonObject) => messages.decodeReply(body, new Losses())

  await t.test('maps every stop reason', () => {
    const reasons = ['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn', 'refusal']
    assert.deepEqual(
      [...reasons, 'model_context_window_exceeded', 'new_one', null].map(
        (stop_reason) => read({ content: [], stop_reason }).finish,
      ),
      ['stop', 'length', 'stopSequence', 'toolCalls', 'pause', 'refusal', 'length', 'stop', 'stop'],
    )
    const content = [{ type: 'tool_use', id: 'a', name: 'f', input: {} }]
    assert.equal(read({ content }).finish, 'toolCalls')
  })

  await t.test('leaves unreported token counts unknown', () => {
    assert.equal(read({ content: [] }).usage, undefined)
    assert.deepEqual(read({ content: [], usage: { output_tokens: 3, input_tokens: 'x' } }).usage, {
      outputTokens: 3,
    })
  })

  await t.test('refuses an invalid message', () => {
    const wrong: JsonObject[] = [
      {},
      { type: 'error', error: { type: 'api_error', message: 'a' } },
      { content: 'a' },
      { content: [1] },
      { content: [{ type: 5 }] },
      { content: [{ type: 'text' }] },
      { content: [{ type: 'tool_use', id: 'a', name: 'b', input: 'c' }] },
      { content: [{ type: 'thinking', thinking: null }] },
      { content: [], id: 5 },
    ]
    for (const body of wrong) assert.throws(() => read(body), BadReply, JSON.stringify(body))
  })
})

test('encoding a response', async (t) => {
  const write = (reply: Partial<ChatReply>, losses = new Losses()) =>
    messages.encodeReply({ id: 'i', model: 'm', parts: [], finish: 'stop', ...reply }, asked, losses)

  await t.test('creates a missing id, and uses the model name of the client', () => {
    const { id, model } = write({ id: '', model: '' })
    assert.match(id as string, /^msg_[\da-f]{32}$/)
    assert.equal(model, 'as-the-client-says')
  })

  await t.test('maps every stop reason', () => {
    const finishes: Finish[] = [
      'stop',
      'stopSequence',
      'length',
      'toolCalls',
      'contentFilter',
      'refusal',
      'pause',
    ]
    assert.deepEqual(
      finishes.map((finish) => write({ finish }).stop_reason),
      ['end_turn', 'stop_sequence', 'max_tokens', 'tool_use', 'refusal', 'refusal', 'pause_turn'],
    )
  })

  await t.test('has the stop reasons of tool calls and refusals, whatever the provider sent', () => {
    const call = { type: 'toolCall', id: 'a', name: 'f', arguments: '{}' } as const
    assert.equal(write({ parts: [call] }).stop_reason, 'tool_use')
    assert.equal(write({ parts: [{ type: 'refusal', text: 'no' }] }).stop_reason, 'refusal')
  })

  await t.test('has reasoning of other formats with an empty signature, and no empty texts', () => {
    const { content } = write({
      parts: [
        { type: 'thinking', text: 'a' },
        { type: 'text', text: '' },
      ],
    })
    assert.deepEqual(content, [{ type: 'thinking', thinking: 'a', signature: '' }])
  })

  await t.test('refuses a call whose arguments are not an object', () => {
    const losses = new Losses()
    const parts = [{ type: 'toolCall', id: 'a', name: 'f', arguments: '{"a":' }] as const
    assert.throws(() => write({ parts, finish: 'toolCalls' }), BadReply)
    assert.deepEqual(write({ parts, finish: 'length' }, losses).content, [
      { type: 'tool_use', id: 'a', name: 'f', input: {} },
    ])
    assert.deepEqual(losses.fields, ['content.toolCall.arguments'])
  })

  await t.test('subtracts cached tokens from the input', () => {
    const usage = { inputTokens: 100, cachedInputTokens: 60, cacheCreationInputTokens: 10, outputTokens: 5 }
    const written = write({ usage }).usage as JsonObject
    assert.deepEqual(
      [written.input_tokens, written.cache_read_input_tokens, written.cache_creation_input_tokens],
      [30, 60, 10],
    )
  })
})
