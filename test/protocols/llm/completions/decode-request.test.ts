import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadRequest } from '../../../../src/protocols/llm/chat/codec.ts'
import { completions } from '../../../../src/protocols/llm/completions/codec.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { locationsIn, replaced } from './odd-values.ts'

const hi = [{ role: 'user', content: 'Hi' }]
const decode = (body: Record<string, unknown>) =>
  completions.decodeRequest({ model: 'm', messages: hi, ...body }, {}, new Losses())

test('requests of Chat Completions', async (t) => {
  await t.test('are refused with the name of the invalid field', () => {
    const cases: [Record<string, unknown>, string][] = [
      [{ model: null }, "missing string field 'model'"],
      [{ model: 7 }, 'model must be a string'],
      [{ messages: undefined }, 'messages must be an array'],
      [{ messages: {} }, 'messages must be an array'],
      [{ messages: ['Hi'] }, 'messages[0] must be an object'],
      [{ messages: [{ content: 'Hi' }] }, 'messages[0].role must be a string'],
      [{ messages: [{ role: 'oracle', content: 'Hi' }] }, 'messages[0].role is not supported'],
      [{ messages: [{ role: 'user', content: 7 }] }, 'messages[0].content must be a string or an array'],
      [{ messages: [{ role: 'user', content: ['a'] }] }, 'messages[0].content[0] must be an object'],
      [
        { messages: [{ role: 'user', content: [{ type: 'video_url' }] }] },
        'messages[0].content[0].type is not supported',
      ],
      [
        { messages: [{ role: 'user', content: [{ type: 'constructor' }] }] },
        'messages[0].content[0].type is not supported',
      ],
      [
        { messages: [{ role: 'user', content: [{ type: 'text', text: {} }] }] },
        'messages[0].content[0].text must be a string',
      ],
      [
        { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
        'messages[0].content[0].image_url.url must be a string',
      ],
      [
        { messages: [{ role: 'user', content: [{ type: 'file', file: {} }] }] },
        'messages[0].content[0].file must hold file_data or file_id',
      ],
      [
        { messages: [{ role: 'user', content: [{ type: 'refusal', refusal: 'a' }] }] },
        'messages[0].content holds what only an assistant says',
      ],
      [
        { messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'a' } }] }] },
        'messages[0].content may hold text only',
      ],
      [{ messages: [{ role: 'tool', content: 'a' }] }, 'messages[0].tool_call_id must be a string'],
      [{ messages: [{ role: 'function', name: 'f', content: 'a' }] }, 'messages[0] answers no function_call'],
      [
        { messages: [{ role: 'assistant', tool_calls: [{ id: 'a' }] }] },
        'messages[0].tool_calls[0].function must be an object',
      ],
      [
        { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'custom' }] }] },
        'messages[0].tool_calls[0].type is not supported',
      ],
      [{ max_tokens: '5' }, 'max_tokens must be a number'],
      [{ temperature: Infinity }, 'temperature must be a number'],
      [{ stream: 'yes' }, 'stream must be a boolean'],
      [{ stream_options: [] }, 'stream_options must be an object'],
      [{ stop: [7] }, 'stop[0] must be a string'],
      [{ stop: {} }, 'stop must be an array'],
      [{ tools: [{}] }, 'tools[0].function must be an object'],
      [
        { tools: [{ function: { name: 'f', parameters: 'a' } }] },
        'tools[0].function.parameters must be an object',
      ],
      [{ tool_choice: 'maybe' }, 'tool_choice must be an object'],
      [{ tool_choice: {} }, 'tool_choice is not supported'],
      [{ tool_choice: { type: 'function', function: {} } }, 'tool_choice.function.name must be a string'],
      [
        { tool_choice: { type: 'allowed_tools', allowed_tools: { tools: [] } } },
        'tool_choice.allowed_tools.mode must be auto or required',
      ],
      [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema must be an object'],
      [{ reasoning_effort: 3 }, 'reasoning_effort must be a string'],
      [{ user: {} }, 'user must be a string'],
    ]
    for (const [body, message] of cases)
      assert.throws(
        () => decode(body),
        (error) => error instanceof BadRequest && error.message === message,
        message,
      )
  })

  await t.test('never fail in another way, whatever they contain', () => {
    const whole = {
      model: 'm',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] },
        {
          role: 'assistant',
          content: 'a',
          reasoning_details: [{ type: 'reasoning.text', text: 'b', signature: 'c' }],
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'b' }] },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: {}, strict: true } }],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ function: { name: 'f' } }] },
      },
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } },
      stream_options: { include_usage: true },
      reasoning: { effort: 'low', max_tokens: 5 },
      stop: ['a'],
    }
    let refused = 0
    const places = locationsIn(whole)
    assert.ok(places.length > 40)
    for (const place of places)
      for (const odd of [
        null,
        7,
        -1,
        true,
        '',
        'x',
        [],
        {},
        [null],
        [[]],
        { type: 'text' },
        { __proto__: null },
      ])
        try {
          const request = completions.decodeRequest(replaced(whole, place, odd), {}, new Losses())
          completions.encodeRequest(request, new Losses())
        } catch (error) {
          assert.ok(error instanceof BadRequest, `${place.join('.')}: ${String(error)}`)
          refused++
        }
    assert.ok(refused > 200)
  })

  await t.test('use the model and streaming of the path if it has them', () => {
    const request = completions.decodeRequest(
      { messages: hi, stream: false },
      { model: 'p', streaming: true },
      new Losses(),
    )
    assert.deepEqual([request.model, request.streaming], ['p', true])
  })

  await t.test('may have a cache mark on a whole message', () => {
    const { turns } = decode({
      messages: [{ role: 'user', content: 'Hi', cache_control: { type: 'ephemeral', ttl: '5m' } }],
    })
    assert.deepEqual(turns[0]?.parts, [{ type: 'text', text: 'Hi', cache: { ttl: '5m' } }])
  })
})
