import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Part } from '../../../../src/protocols/llm/chat/parts.ts'
import type { ChatRequest } from '../../../../src/protocols/llm/chat/request.ts'
import { generateContent } from '../../../../src/protocols/llm/generate-content/codec.ts'
import {
  decodeTokenCount,
  encodeTokenCount,
} from '../../../../src/protocols/llm/generate-content/token-count.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { plain } from '../goldens.ts'

const said: ChatRequest['turns'] = [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]

const written = (
  request: Partial<ChatRequest>,
): { readonly body: Record<string, unknown>; readonly losses: readonly string[] } => {
  const losses = new Losses()
  const whole: ChatRequest = {
    model: 'gemini-3.8-flash',
    instructions: [],
    turns: said,
    tools: [],
    stop: [],
    streaming: false,
    includeUsage: false,
    ...request,
  }
  const body = plain(generateContent.encodeRequest(whole, losses)) as Record<string, unknown>
  return { body, losses: losses.fields }
}

test('uses the thinking settings of each model generation', () => {
  const config = (model: string, reasoning: ChatRequest['reasoning']): unknown =>
    (written({ model, reasoning }).body.generationConfig as { thinkingConfig?: unknown } | undefined)
      ?.thinkingConfig
  assert.deepEqual(config('gemini-3.8-flash', { effort: 'max' }), {
    thinkingLevel: 'HIGH',
    includeThoughts: true,
  })
  assert.deepEqual(config('gemini-3.8-flash', { effort: 'max', visible: false }), {
    thinkingLevel: 'HIGH',
    includeThoughts: false,
  })
  assert.deepEqual(config('gemini-3.8-flash', { effort: 'none' }), { thinkingLevel: 'MINIMAL' })
  assert.deepEqual(config('gemini-3.8-flash', { budgetTokens: 3000, visible: true }), {
    thinkingBudget: 3000,
    includeThoughts: true,
  })
  assert.deepEqual(config('gemini-2.5-flash', { effort: 'max' }), {
    thinkingBudget: 16_384,
    includeThoughts: true,
  })
  assert.deepEqual(config('gemini-2.5-flash', { effort: 'none' }), { thinkingBudget: 0 })
  assert.deepEqual(config('gemini-2.5-pro', { effort: 'none' }), { thinkingBudget: 128 })
  assert.deepEqual(config('gemini-2.5-pro', { adaptive: true }), {
    thinkingBudget: -1,
    includeThoughts: true,
  })
  assert.deepEqual(config('gemini-3.8-pro', { adaptive: true }), { includeThoughts: true })
})

test('adds a dummy signature to the first unsigned call of a turn, if required', () => {
  const call = (id: string): Part => ({ type: 'toolCall', id, name: 'f', arguments: '' })
  const turns: ChatRequest['turns'] = [...said, { role: 'assistant', parts: [call('a'), call('b')] }]
  const f = (id: string): object => ({ functionCall: { id, name: 'f', args: {} } })
  const contents = (model: string): unknown => (written({ model, turns }).body.contents as unknown[])[1]
  assert.deepEqual(contents('gemini-3.8-flash'), {
    role: 'model',
    parts: [{ ...f('a'), thoughtSignature: 'skip_thought_signature_validator' }, f('b')],
  })
  assert.deepEqual(contents('gemini-2.5-flash'), { role: 'model', parts: [f('a'), f('b')] })
})

test('puts images of a result beside it for models before Gemini 3', () => {
  const turns: ChatRequest['turns'] = [
    { role: 'assistant', parts: [{ type: 'toolCall', id: 'a', name: 'f', arguments: '{}' }] },
    {
      role: 'user',
      parts: [
        {
          type: 'toolResult',
          id: 'a',
          parts: [
            { type: 'text', text: 'one' },
            { type: 'image', source: { base64: 'AA==', mediaType: 'image/png' } },
            { type: 'text', text: 'two' },
          ],
        },
      ],
    },
  ]
  assert.deepEqual((written({ model: 'gemini-2.5-pro', turns }).body.contents as unknown[])[1], {
    role: 'user',
    parts: [
      { functionResponse: { id: 'a', name: 'f', response: { output: 'one\ntwo' } } },
      { inlineData: { mimeType: 'image/png', data: 'AA==' } },
    ],
  })
})

test('reports unsupported fields', () => {
  const cache = { ttl: '1h' }
  const { body, losses } = written({
    instructions: [{ type: 'text', text: 'Be brief.', cache }],
    turns: [
      {
        role: 'user',
        parts: [
          { type: 'image', source: { url: 'https://a.test/a.png?x=1' }, detail: 'low' },
          { type: 'image', source: { fileId: 'f' } },
          { type: 'file', source: { url: 'https://a.test/a' } },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'hiddenThinking', data: 'x' },
          { type: 'refusal', text: 'No.' },
        ],
      },
    ],
    tools: [{ name: 'f', parameters: {}, strict: true, cache }],
    parallelTools: false,
    user: 'u',
    serviceTier: 'scale',
  })
  assert.deepEqual(body.contents, [
    {
      role: 'user',
      parts: [
        { fileData: { fileUri: 'https://a.test/a.png?x=1', mimeType: 'image/png' } },
        { fileData: { fileUri: 'https://a.test/a' } },
      ],
    },
    { role: 'model', parts: [{ text: 'No.' }] },
  ])
  assert.deepEqual(losses, [
    'image.detail',
    'image.file_id',
    'redacted_thinking',
    'cache_control',
    'tools.strict',
    'service_tier',
    'parallel_tool_calls',
    'user',
  ])
})

test('finds the attributes of a request, in either spelling', () => {
  const expected = { model: 'm', streaming: true, topP: 0.5, maxTokens: 7 }
  const place = { model: 'm', streaming: true }
  const camel = { generationConfig: { topP: 0.5, maxOutputTokens: 7, temperature: 'x' } }
  assert.deepEqual(plain(generateContent.requestAttributes(camel, place)), expected)
  const snake = { generation_config: { top_p: 0.5, max_output_tokens: 7 } }
  assert.deepEqual(plain(generateContent.requestAttributes(snake, place)), expected)
})

test('decodes both forms of a request to count tokens, and the response', () => {
  const contents = [{ parts: [{ text: 'Hi' }] }]
  for (const body of [{ contents }, { generateContentRequest: { model: 'models/m', contents } }])
    assert.deepEqual(plain(decodeTokenCount(body, { model: 'm' }, new Losses()).turns), said)
  assert.deepEqual(encodeTokenCount(7), { totalTokens: 7 })
})
