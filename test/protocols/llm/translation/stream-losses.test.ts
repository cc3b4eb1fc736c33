import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import { codecs } from '../../../../src/protocols/llm/codecs.ts'
import type { ChatFormat } from '../../../../src/protocols/llm/format.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'

type Named = readonly [name: string | undefined, data: object | string]

/** Content of a provider without a common form: complete, and as a stream. */
interface Case {
  readonly format: ChatFormat
  readonly whole: object
  readonly stream: readonly Named[]
  readonly lost: readonly string[]
}

const url = { type: 'url_citation', url: 'https://a' }
const message = { content: 'hi', annotations: [url], audio: { id: 'a' }, images: [{}] }
const custom = { index: 1, id: 'x', type: 'custom', custom: { name: 'f', input: 'a' } }
const chunk = (choice: object): Named => [
  undefined,
  { id: 'c', model: 'm', choices: [{ index: 0, ...choice }] },
]

const part = (more: object) => ({ candidates: [{ content: { parts: [more] } }], modelVersion: 'm' })
const odd = { inlineData: { mimeType: 'image/png', data: '' } }
const grounded = { groundingMetadata: {}, made_up: 1 }

const output = [
  {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'hi', annotations: [url] }, { type: 'output_odd' }],
  },
  { type: 'web_search_call', id: 'w', status: 'completed' },
]
const done = { id: 'r', model: 'm', status: 'completed', output }

const cases: readonly Case[] = [
  {
    format: 'completions',
    whole: {
      choices: [
        {
          index: 0,
          message: { ...message, tool_calls: [custom] },
          logprobs: { content: [] },
          finish_reason: 'stop',
        },
        { index: 1, message, finish_reason: 'stop' },
      ],
    },
    stream: [
      chunk({ delta: message, logprobs: { content: [] } }),
      chunk({ delta: { tool_calls: [custom] } }),
      chunk({ delta: { tool_calls: [{ index: 1, custom: { input: 'b' } }] } }),
      [undefined, { id: 'c', choices: [{ index: 1, delta: { content: 'other' } }] }],
      chunk({ delta: {}, finish_reason: 'stop' }),
      [undefined, '[DONE]'],
    ],
    lost: [
      'choices',
      'choices.logprobs',
      ...['annotations', 'audio', 'images', 'tool_calls.custom'].map((name) => `choices.message.${name}`),
    ],
  },
  {
    format: 'generateContent',
    whole: {
      candidates: [
        {
          content: { parts: [{ text: 'hi', thoughtSignature: 's' }, odd] },
          finishReason: 'STOP',
          ...grounded,
        },
        { index: 1, content: { parts: [{ text: 'other' }] } },
      ],
    },
    stream: [
      [undefined, part({ text: 'hi', thoughtSignature: 's' })],
      [undefined, part(odd)],
      [undefined, { candidates: [{ index: 1, content: { parts: [{ text: 'other' }] } }] }],
      [undefined, { candidates: [{ finishReason: 'STOP', ...grounded }] }],
    ],
    lost: [
      'candidates',
      'candidates.content.parts.inlineData',
      'candidates.content.parts.thoughtSignature',
      'candidates.groundingMetadata',
      'candidates.unknown',
    ],
  },
  {
    format: 'converse',
    whole: {
      output: {
        message: {
          content: [
            { citationsContent: { content: [{ text: 'hi' }] } },
            { toolUse: { type: 'server_tool_use', toolUseId: 'a', name: 'f', input: {} } },
            { image: {} },
            { made_up: {} },
          ],
        },
      },
      stopReason: 'end_turn',
      trace: {},
    },
    stream: [
      ['messageStart', { role: 'assistant' }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'hi' } }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { citation: {} } }],
      [
        'contentBlockStart',
        { contentBlockIndex: 1, start: { toolUse: { type: 'server_tool_use', toolUseId: 'a', name: 'f' } } },
      ],
      ['contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: '{}' } } }],
      ['contentBlockStart', { contentBlockIndex: 2, start: { image: { format: 'png' } } }],
      ['contentBlockDelta', { contentBlockIndex: 3, delta: { made_up: {} } }],
      ['messageStop', { stopReason: 'end_turn' }],
      ['metadata', { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, trace: {} }],
    ],
    lost: [
      ...['citationsContent', 'image', 'toolUse', 'unknown'].map((name) => `output.message.content.${name}`),
      'trace',
    ],
  },
  {
    format: 'responses',
    whole: done,
    stream: [
      ['response.created', { type: 'response.created', response: { id: 'r', model: 'm' } }],
      ...output.flatMap((item, output_index): Named[] => [
        [
          'response.output_item.added',
          { type: 'response.output_item.added', output_index, item: { ...item, content: [] } },
        ],
        ['response.output_item.done', { type: 'response.output_item.done', output_index, item }],
      ]),
      ['response.completed', { type: 'response.completed', response: done }],
    ],
    lost: ['output.content', 'output.content.annotations', 'output.unknown'],
  },
]

for (const { format, whole, stream, lost } of cases)
  test(`a stream of ${format} reports the same losses as a complete response`, () => {
    const inWhole = new Losses()
    codecs[format].decodeReply(whole as Record<string, unknown>, inWhole)
    const inStream = new Losses()
    const decoder = codecs[format].decodeStream(inStream)
    const told: ChatEvent[] = []
    const tell = (event: ChatEvent): void => void told.push(event)
    for (const [name, data] of stream)
      decoder.push(name, typeof data === 'string' ? data : JSON.stringify(data), tell)
    decoder.end(tell)
    assert.equal(told.at(-1)?.type, 'end', JSON.stringify(told.at(-1)))
    assert.deepEqual(
      told.flatMap((event) => (event.type === 'delta' ? [event.text] : [])),
      ['hi'],
    )
    assert.deepEqual([...inWhole.fields].sort(), lost)
    assert.deepEqual([...inStream.fields].sort(), lost)
  })

const written: Readonly<Record<'completions' | 'generateContent' | 'responses', readonly string[]>> = {
  completions: ['stop_sequence'],
  generateContent: ['redacted_thinking', 'stop_sequence'],
  responses: ['stop_sequence', 'tool_calls.signature'],
}

for (const [format, lost] of Object.entries(written))
  test(`losses of a stream for clients of ${format} are reported as for a complete response`, () => {
    const parts = [
      { type: 'hiddenThinking', data: 'h' },
      { type: 'toolCall', id: 'a', name: 'f', arguments: '{}', signature: 's' },
    ] as const
    const codec = codecs[format as ChatFormat]
    const asked = { model: 'm', includeUsage: false }
    const inWhole = new Losses()
    codec.encodeReply(
      { id: '', model: 'm', parts, finish: 'stopSequence', stopSequence: 'x' },
      asked,
      inWhole,
    )
    const inStream = new Losses()
    const encoder = codec.encodeStream(asked, inStream)
    const events: readonly ChatEvent[] = [
      { type: 'start', id: '', model: 'm' },
      { type: 'open', block: 0, part: parts[0] },
      { type: 'close', block: 0 },
      { type: 'open', block: 1, part: { type: 'toolCall', id: 'a', name: 'f' } },
      { type: 'delta', block: 1, text: '{}' },
      { type: 'signature', block: 1, signature: 's' },
      { type: 'close', block: 1 },
      { type: 'finish', finish: 'stopSequence', stopSequence: 'x' },
      { type: 'end' },
    ]
    for (const event of events) encoder.encode(event)
    assert.deepEqual([...inWhole.fields].sort(), lost)
    assert.deepEqual([...inStream.fields].sort(), lost)
  })
