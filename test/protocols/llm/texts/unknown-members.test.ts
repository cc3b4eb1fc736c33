import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import { realtimeClientTexts } from '../../../../src/protocols/llm/texts/realtime.ts'
import {
  replyTexts,
  requestTexts,
  type RequestTextFormat,
  streamTexts,
} from '../../../../src/protocols/llm/texts/extract-texts.ts'

const SAID = 'forbidden words'
const long = 'QUJD'.repeat(400)

const message = (content: unknown, more: object = {}) => ({ messages: [{ role: 'user', content, ...more }] })
const inputs = (content: unknown, more: object = {}) => ({ input: [{ role: 'user', content, ...more }] })
const contents = (part: unknown) => ({ contents: [{ role: 'user', parts: [part] }] })

test('unknown members are checked, whatever their names', async (t) => {
  const later = { type: 'later', later: { deep: [[{ anything: SAID }]] } }
  const requests: readonly (readonly [RequestTextFormat, JsonObject])[] = [
    ['messages', { context_management: { edits: [{ type: 'x', instructions: SAID }] }, messages: [] }],
    ['messages', { mcp_servers: [{ type: 'url', url: 'https://x', name: 'x', notes: SAID }] }],
    ['messages', { tools: [{ type: 'web_search', name: 'w', user_location: { city: SAID } }] }],
    ['completions', { web_search_options: { user_location: { approximate: { city: SAID } } } }],
    ['responses', { tools: [{ type: 'web_search', user_location: { type: 'approximate', region: SAID } }] }],
    ['responses', { context_management: [{ type: 'compaction', instructions: SAID }] }],
    ...(['messages', 'completions'] as const).flatMap(
      (format): (readonly [RequestTextFormat, JsonObject])[] => [
        [format, message([{ type: 'text', text: { value: SAID } }])],
        [format, message([{ type: 'text', text: { value: { deeper: [SAID] } } }])],
        [format, message([later])],
        [format, message([{ type: 'later', lines_of_it: [SAID] }])],
        [format, message('hi', { remark: SAID }).messages[0]!],
        [format, message([{ type: 'image_url', image_url: { url: 'https://x/y.png', caption: SAID } }])],
        [format, { anything: SAID }],
        [format, { anything: { id: 'x', deep: SAID } }],
      ],
    ),
    ['completions', message('', { name: SAID })],
    ['completions', message([{ type: 'file', file: { file_data: SAID } }])],
    ['completions', message([{ type: 'input_audio', input_audio: { note: SAID } }])],
    ['responses', inputs([{ type: 'input_text', text: { value: SAID } }])],
    ['responses', inputs([later])],
    ['responses', { input: [{ type: 'later_item', payload: { a: [SAID] } }] }],
    ['responses', { text: { format: { type: 'x', hint: SAID } } }],
    ['generateContent', contents({ text: { value: SAID } })],
    ['generateContent', contents({ later: { deep: [{ anything: SAID }] } })],
    ['generateContent', contents({ inlineData: { mimeType: 'image/png', data: long, altText: SAID } })],
    ['generateContent', { generationConfig: { speechConfig: { style: SAID } } }],
    ['generateContent', { tools: [{ later: { guidance: SAID } }] }],
    ['converse', message([{ later: { anything: SAID } }])],
    ['converse', { additionalModelRequestFields: { anything: SAID } }],
    ['embeddings', { input: [], task: SAID }],
    ['embeddings', { input: [{ content: [{ type: 'later', anything: SAID }] }] }],
    ['rerank', { query: '', documents: [], instruct: SAID }],
    ['invoke', { anything: { deep: SAID } }],
  ]
  for (const [format, given] of requests)
    await t.test(`in ${format}: ${JSON.stringify(given).slice(0, 120)}`, () => {
      const body = structuredClone(given)
      const slots = requestTexts(format, body)
      assert.deepEqual(
        slots.filter(({ text }) => text === SAID).map(({ text }) => text),
        [SAID],
      )
      for (const slot of slots) slot.set('<masked>')
      assert.ok(!JSON.stringify(body).includes(SAID))
    })

  await t.test('in client events of realtime sessions', () => {
    for (const event of [
      {
        type: 'conversation.item.create',
        item: { role: 'user', content: [{ type: 'later', anything: SAID }] },
      },
      { type: 'session.update', session: { audio: { input: { transcription: { hints: SAID } } } } },
      { type: 'later.event', anything: [SAID] },
    ])
      assert.deepEqual(
        realtimeClientTexts(event).map(({ text }) => text),
        [SAID],
      )
  })

  await t.test('in responses, and in their streams', () => {
    const answers = [
      ['completions', { choices: [{ message: { content: [{ type: 'text', text: { value: SAID } }] } }] }],
      ['completions', { choices: [{ message: { content: '', later: { deep: SAID } } }], remark: SAID }],
      ['messages', { content: [{ type: 'later', anything: SAID }] }],
      ['responses', { output: [{ type: 'later', anything: [SAID] }], remark: SAID }],
      ['generateContent', { candidates: [{ content: { parts: [{ later: { a: SAID } }] } }], remark: SAID }],
      ['converse', { output: { message: { content: [{ later: { a: SAID } }] } } }],
    ] as const
    for (const [format, body] of answers)
      assert.ok(
        replyTexts(format, structuredClone(body)).every(({ text }) => text === SAID) &&
          replyTexts(format, body).length > 0,
        JSON.stringify(body),
      )
    const events = [
      ['completions', undefined, { choices: [{ delta: { content: 'a', later: SAID } }] }],
      ['messages', 'content_block_delta', { type: 'content_block_delta', index: 0, delta: { later: SAID } }],
      ['responses', undefined, { type: 'response.output_text.delta', delta: 'a', later: SAID }],
      ['generateContent', undefined, { candidates: [{ content: { parts: [{ text: 'a', later: SAID }] } }] }],
    ] as const
    for (const [format, name, data] of events)
      assert.deepEqual(
        streamTexts(format)
          .read(name, data)
          .wholes.map(({ text }) => text),
        [SAID],
        JSON.stringify(data),
      )
  })
})

test('known metadata is not checked', () => {
  const requests: readonly (readonly [RequestTextFormat, JsonObject])[] = [
    [
      'completions',
      {
        ...{
          model: 'm',
          user: 'u',
          service_tier: 'auto',
          reasoning_effort: 'low',
          verbosity: 'low',
          stop: ['\n\n'],
        },
        ...{ modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' }, tool_choice: 'auto' },
        ...{ reasoning: { effort: 'low', summary: 'auto' }, prompt_cache_key: 'k', safety_identifier: 's' },
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image_url', image_url: { url: `data:image/png;base64,${long}`, detail: 'low' } },
              { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
              { type: 'input_audio', input_audio: { data: 'QUJD', format: 'wav' } },
              { type: 'file', file: { file_id: 'file-1', file_data: `data:application/pdf;base64,${long}` } },
            ],
          },
          {
            role: 'assistant',
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '' } }],
          },
          { role: 'tool', tool_call_id: 'c', name: 'look', content: '' },
        ],
        tools: [{ type: 'function', function: { name: 'look', strict: true } }],
      },
    ],
    [
      'messages',
      {
        ...{
          model: 'm',
          max_tokens: 9,
          stop_sequences: ['a b'],
          metadata: { user_id: 'a b' },
          speed: 'fast',
        },
        ...{ thinking: { type: 'enabled', budget_tokens: 9 }, container: 'c', service_tier: 'auto' },
        mcp_servers: [
          {
            type: 'url',
            url: 'https://x',
            name: 'x',
            authorization_token: 'a secret',
            tool_configuration: { allowed_tools: ['a'] },
          },
        ],
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: long } },
              { type: 'document', source: { type: 'file', file_id: 'f' }, citations: { enabled: true } },
            ],
          },
        ],
      },
    ],
    [
      'responses',
      {
        ...{
          include: ['reasoning.encrypted_content'],
          truncation: 'auto',
          previous_response_id: 'r',
          store: false,
        },
        tools: [
          {
            type: 'mcp',
            server_label: 'x',
            server_url: 'https://x',
            headers: { a: 'a secret' },
            authorization: 'a secret',
            require_approval: 'never',
            allowed_tools: ['a', 'b'],
          },
          { type: 'file_search', vector_store_ids: ['v'], ranking_options: { ranker: 'auto' } },
          { type: 'image_generation', size: '1024x1024', quality: 'low', output_format: 'png' },
        ],
        input: [{ type: 'reasoning', id: 'x', encrypted_content: long, summary: [] }],
      },
    ],
    [
      'generateContent',
      {
        cachedContent: 'cachedContents/1',
        safetySettings: [{ category: 'HARM_CATEGORY_HATE_SPEECH', threshold: 'BLOCK_NONE' }],
        generationConfig: {
          responseMimeType: 'text/plain',
          stopSequences: ['a b'],
          responseModalities: ['TEXT'],
        },
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
        contents: [
          { role: 'user', parts: [{ fileData: { mimeType: 'video/mp4', fileUri: 'https://x/v' } }] },
        ],
      },
    ],
    ['embeddings', { model: 'm', input: [[1, 2]], encoding_format: 'float', user: 'u' }],
    ['rerank', { model: 'm', query: '', documents: [], return_documents: false, truncate: 'END' }],
  ]
  for (const [format, body] of requests)
    assert.deepEqual(
      requestTexts(format, body).map(({ text }) => text),
      [],
      format,
    )
  assert.deepEqual(realtimeClientTexts({ type: 'input_audio_buffer.append', audio: long }), [])
})
