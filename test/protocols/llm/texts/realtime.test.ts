import assert from 'node:assert/strict'
import { test } from 'node:test'
import { realtimeClientTexts, realtimeServerTexts } from '../../../../src/protocols/llm/texts/realtime.ts'

test('texts of realtime sessions', async (t) => {
  await t.test('are found in events of the client', () => {
    const texts = [
      {
        type: 'conversation.item.create',
        item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a' }] },
      },
      { type: 'conversation.item.create', item: { type: 'function_call_output', call_id: 'c', output: 'b' } },
      {
        type: 'response.create',
        response: {
          instructions: 'c',
          input: [{ role: 'user', content: [{ type: 'input_text', text: 'd' }] }],
          reasoning: { summary: 'auto' },
        },
      },
      {
        type: 'session.update',
        session: { instructions: 'e', tools: [{ name: 'f', description: 'g', parameters: {} }] },
      },
      { type: 'input_audio_buffer.append', audio: 'YQ==' },
    ].map((event) => realtimeClientTexts(event).map(({ scope, text }) => `${scope} ${text}`))
    assert.deepEqual(texts, [
      ['messages a'],
      ['toolOutput b'],
      ['systemPrompt c', 'messages d'],
      ['systemPrompt e', 'systemPrompt g'],
      [],
    ])
  })

  await t.test('are changed in place', () => {
    const event = { type: 'session.update', session: { instructions: 'a' } }
    realtimeClientTexts(event)[0]?.set('b')
    assert.equal(event.session.instructions, 'b')
  })

  await t.test('are tracked by response in events of the provider', () => {
    const follow = realtimeServerTexts()
    const heard = [
      { type: 'session.created', session: { instructions: 'not said by the model' } },
      {
        type: 'conversation.item.added',
        item: { type: 'message', role: 'user', content: [{ text: 'nor this' }] },
      },
      {
        type: 'response.output_text.delta',
        response_id: 'r1',
        item_id: 'i',
        output_index: 0,
        content_index: 0,
        delta: 'a',
      },
      {
        type: 'response.output_text.done',
        response_id: 'r1',
        item_id: 'i',
        output_index: 0,
        content_index: 0,
        text: 'ab',
      },
      {
        type: 'response.output_audio_transcript.delta',
        response_id: 'r1',
        output_index: 1,
        content_index: 0,
        delta: 'c',
      },
      {
        type: 'response.output_audio.delta',
        response_id: 'r1',
        output_index: 1,
        content_index: 0,
        delta: 'YQ==',
      },
      { type: 'response.function_call_arguments.delta', response_id: 'r2', output_index: 0, delta: '{' },
      {
        type: 'response.done',
        response: { id: 'r1', output: [{ type: 'message', content: [{ type: 'output_text', text: 'ab' }] }] },
      },
    ].map((data) => {
      const { pieces, wholes, closes } = follow.read(undefined, data)
      return [
        pieces.map(({ scope, text }) => `${scope} ${text}`),
        wholes.map(({ text }) => text),
        closes.length,
      ]
    })
    assert.deepEqual(heard, [
      [[], [], 0],
      [[], [], 0],
      [['messages a'], [], 0],
      // Again, in one that may be continued in the next response.
      [['messages ab'], [], 2],
      [['messages c'], [], 0],
      [[], [], 0],
      [['toolInput {'], [], 0],
      [[], ['ab'], 3],
    ])
  })

  await t.test('are found in errors of the provider, which may repeat the input', () => {
    const error = { type: 'error', error: { type: 'invalid_request_error', message: 'No tool “a@b.com”.' } }
    const { wholes } = realtimeServerTexts().read(undefined, error)
    assert.ok(wholes.some(({ text }) => text === 'No tool “a@b.com”.'))
    wholes.find(({ text }) => text.includes('a@b.com'))?.set('masked')
    assert.equal(error.error.message, 'masked')
  })
})
