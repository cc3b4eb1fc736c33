import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadRequest } from '../../../../src/protocols/llm/chat/codec.ts'
import type { ChatRequest } from '../../../../src/protocols/llm/chat/request.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { responses } from '../../../../src/protocols/llm/responses/codec.ts'
import { requests } from './golden/requests.ts'

/** Without members that are undefined. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const decode = (body: object, losses = new Losses()): ChatRequest =>
  responses.decodeRequest({ model: 'm', ...body }, {}, losses)

const encode = (request: Partial<ChatRequest>, losses = new Losses()): Record<string, unknown> =>
  responses.encodeRequest(
    {
      model: 'm',
      instructions: [],
      turns: [],
      tools: [],
      stop: [],
      streaming: false,
      includeUsage: true,
      ...request,
    },
    losses,
  )

test('a request of the Responses format', async (t) => {
  for (const [name, golden] of Object.entries(requests))
    await t.test(`is decoded and encoded: ${name}`, () => {
      const lost = new Losses()
      const wire = plain(golden.wire) as Record<string, unknown>
      const read = responses.decodeRequest(wire, {}, lost)
      assert.deepEqual(plain(read), plain(golden.meaning))
      assert.deepEqual(lost.fields, golden.lost)
      assert.deepEqual(plain(encode(golden.meaning)), plain(golden.written))
    })

  await t.test('is refused with the name of the invalid field', () => {
    const wrong: readonly [object, RegExp][] = [
      [{ model: '', input: 'a' }, /^model must not be empty$/],
      [
        { input: [{ type: 'function_call', call_id: '', name: 'f', arguments: '' }] },
        /call_id must not be empty/,
      ],
      [{ model: 7, input: 'a' }, /^model must be a string$/],
      [{}, /^input must be a string or an array$/],
      [{ input: ['a'] }, /^input\[0\] must be an object$/],
      [{ input: [{ role: 'tool', content: 'a' }] }, /^input\[0\]\.role must be /],
      [{ input: [{ role: 'user' }] }, /^input\[0\]\.content must be /],
      [{ input: [{ role: 'user', content: [{ type: 'video' }] }] }, /^input\[0\]\.content\[0\]\.type is not/],
      [
        { input: [{ role: 'user', content: [{ type: 'input_text' }] }] },
        /^input\[0\]\.content\[0\]\.text must/,
      ],
      [{ input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, /\.image_url is missing$/],
      [{ input: [{ role: 'user', content: [{ type: 'input_file' }] }] }, /\.file_data is missing$/],
      [
        { input: [{ role: 'user', content: [{ type: 'input_audio', input_audio: 'x' }] }] },
        /\.input_audio must be an object$/,
      ],
      [
        { input: [{ role: 'system', content: [{ type: 'input_image', file_id: 'f' }] }] },
        /only text may instruct/,
      ],
      [{ input: [{ type: 'function_call', call_id: 'c', name: 'f' }] }, /^input\[0\]\.arguments must/],
      [{ input: [{ type: 'function_call_output', output: 'x' }] }, /^input\[0\]\.call_id must/],
      [
        { input: [{ type: 'item_reference', id: 'msg_1' }] },
        /^input\[0\]: nothing is kept here .* store: false$/,
      ],
      [{ input: [{ id: 'msg_1' }] }, /^input\[0\]: nothing is kept here .* store: false$/],
      [{ input: [{ type: 'reasoning', summary: 'x' }] }, /^input\[0\]\.summary must be an array$/],
      [{ input: [{ type: 'reasoning', summary: [{}] }] }, /^input\[0\]\.summary\[0\]\.text must/],
      [{ input: 'a', tools: {} }, /^tools must be an array$/],
      [{ input: 'a', tools: [{ type: 'function' }] }, /^tools\[0\]\.name must/],
      [
        { input: 'a', tools: [{ type: 'function', name: 'f', parameters: 1 }] },
        /^tools\[0\]\.parameters must/,
      ],
      [{ input: 'a', tool_choice: 'maybe' }, /^tool_choice must/],
      [{ input: 'a', tool_choice: { type: 'function', name: 'f' } }, /^tool_choice\.name must/],
      [{ input: 'a', max_output_tokens: '9' }, /^max_output_tokens must be a number$/],
      [{ input: 'a', temperature: Infinity }, /^temperature must be a number$/],
      [{ input: 'a', stream: 1 }, /^stream must be a boolean$/],
      [{ input: 'a', text: { format: { type: 'xml' } } }, /^text\.format\.type must/],
      [{ input: 'a', text: { format: { type: 'json_schema' } } }, /^text\.format\.schema must/],
      [{ input: 'a', reasoning: { effort: 'huge' } }, /^reasoning\.effort must/],
      [{ input: 'a', previous_response_id: 'resp_1' }, /^previous_response_id is not supported/],
      [{ input: 'a', conversation: 'conv_1' }, /^conversation is not supported/],
      [{ input: 'a', prompt: { id: 'p' } }, /^prompt is not supported/],
      [{ input: 'a', background: true }, /^background is not supported/],
    ]
    for (const [body, message] of wrong)
      assert.throws(
        () => decode(body),
        (error) => error instanceof BadRequest && message.test(error.message),
        JSON.stringify(body),
      )
    assert.throws(() => responses.decodeRequest({ input: 'a' }, {}, new Losses()), BadRequest)
    assert.equal(responses.decodeRequest({ input: 'a' }, { model: 'p' }, new Losses()).model, 'p')
  })

  await t.test('never fails in another way, whatever it contains', () => {
    const junk = [null, 0, 'x', true, [], {}, [null], [[]], { type: 'x' }, [{ type: 7 }], [{ role: [] }]]
    const fields = [
      'input',
      'instructions',
      'tools',
      'tool_choice',
      'text',
      'reasoning',
      'include',
      'metadata',
    ]
    for (const field of [...fields, 'stream_options', 'user', 'service_tier', 'safety_identifier'])
      for (const value of junk)
        try {
          decode({ input: 'a', [field]: value })
        } catch (error) {
          assert.ok(error instanceof BadRequest, `${field}: ${String(error)}`)
        }
  })

  await t.test('reports names of unknown members with one word', () => {
    const lost = new Losses()
    decode(
      { input: [{ type: 'made_up' }, { role: 'user', content: 'a' }], tools: [{ type: 'mine' }], mine: 1 },
      lost,
    )
    assert.deepEqual(lost.fields, ['unknown', 'input.unknown', 'tools.unknown'])
  })

  await t.test('may refer to earlier reasoning, which is lost', () => {
    const lost = new Losses()
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
    const { turns } = decode({ input: [{ type: 'item_reference', id: 'rs_1' }, { id: 'rs_2' }, call] }, lost)
    assert.equal(turns.length, 1)
    assert.deepEqual(lost.fields, ['input.item_reference'])
  })

  await t.test('may require a lost tool: then the choice is lost as well', () => {
    const lost = new Losses()
    const body = { input: 'a', tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } }
    assert.equal(decode(body, lost).toolChoice, undefined)
    assert.deepEqual(lost.fields, ['tools.web_search', 'tool_choice'])
  })

  await t.test('is encoded with what a provider accepts, and reports the rest', () => {
    const lost = new Losses()
    const body = encode(
      {
        instructions: [{ type: 'text', text: 'a', cache: {} }],
        turns: [
          {
            role: 'user',
            parts: [{ type: 'toolResult', id: 'c', parts: [], isError: true }],
          },
          {
            role: 'assistant',
            parts: [
              { type: 'thinking', text: 'unsigned' },
              { type: 'image', source: { url: 'https://example.com/a.png' } },
              { type: 'toolCall', id: 'd', name: 'f', arguments: '{}', signature: 's' },
            ],
          },
        ],
        stop: ['x'],
        topK: 5,
        seed: 1,
        frequencyPenalty: 1,
        presencePenalty: 1,
        maxTokens: 1,
        user: 'u'.repeat(65),
        serviceTier: 'standard_only',
      },
      lost,
    )
    assert.deepEqual(body, {
      model: 'm',
      instructions: 'a',
      input: [
        { type: 'function_call_output', call_id: 'c', output: '' },
        { type: 'function_call', call_id: 'd', name: 'f', arguments: '{}' },
      ],
      max_output_tokens: 16,
      store: false,
    })
    assert.deepEqual(lost.fields, [
      'stop',
      'top_k',
      'seed',
      'frequency_penalty',
      'presence_penalty',
      'tool_result.is_error',
      'thinking',
      'image',
      'tool_calls.signature',
      'cache_control',
      'user',
      'service_tier',
    ])
  })

  await t.test('encodes a thinking budget as the nearest effort', () => {
    const effort = (budgetTokens: number): unknown =>
      (encode({ reasoning: { budgetTokens } }).reasoning as { effort: string }).effort
    assert.deepEqual([1024, 2000, 4096, 8000, 31_999].map(effort), ['low', 'medium', 'high', 'xhigh', 'max'])
    assert.deepEqual(encode({ reasoning: { adaptive: true } }).reasoning, { effort: 'high' })
    assert.equal(encode({ reasoning: { effort: 'none' } }).include, undefined)
  })

  await t.test('has attributes without being decoded', () => {
    const body = { model: 'm', stream: true, temperature: 1, top_p: 0.5, max_output_tokens: 9, input: 7 }
    assert.deepEqual(responses.requestAttributes(body, {}), {
      model: 'm',
      streaming: true,
      temperature: 1,
      topP: 0.5,
      maxTokens: 9,
    })
    const { model, streaming } = responses.requestAttributes({ model: 7 }, { model: 'p', streaming: true })
    assert.deepEqual([model, streaming], ['p', true])
  })
})
