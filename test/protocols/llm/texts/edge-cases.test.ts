import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import type { ChatFormat } from '../../../../src/protocols/llm/format.ts'
import {
  replyTexts,
  requestTexts,
  type RequestTextFormat,
  streamTexts,
} from '../../../../src/protocols/llm/texts/extract-texts.ts'
import type { TextSlot } from '../../../../src/protocols/llm/texts/text-slot.ts'

const shown = (slots: readonly TextSlot[]) => slots.map(({ role, scope, text }) => `${role} ${scope} ${text}`)

const chatFormats: readonly ChatFormat[] = [
  'completions',
  'messages',
  'responses',
  'generateContent',
  'converse',
]

test('arguments and results of tools are checked in decoded form', async (t) => {
  const json = String.raw`{"a":"M\u00fcller\n123-45-6789","n":123456789}`
  const meant = '{"a":"Müller\n123-45-6789","n":123456789}'
  const masked = '{"a":"Müller\n<SSN>","n":<SSN>}'
  const left = { a: 'Müller\n<SSN>', n: '<SSN>' }

  await t.test('in nested JSON', () => {
    const call = { name: 'f', arguments: json }
    const bodies: readonly (readonly [RequestTextFormat, JsonObject])[] = [
      ['completions', { messages: [{ role: 'assistant', tool_calls: [{ function: call }] }] }],
      ['responses', { input: [{ type: 'function_call', ...call }] }],
      ['completions', { messages: [{ role: 'tool', content: json }] }],
      ['messages', { messages: [{ role: 'user', content: [{ type: 'tool_result', content: json }] }] }],
    ]
    for (const [format, body] of bodies) {
      const [slot, ...others] = requestTexts(format, body)
      assert.deepEqual([slot?.text, others], [meant, []])
      slot!.set(masked)
      assert.match(JSON.stringify(body), /Müller/)
      const [again] = requestTexts(format, body)
      again!.set(again!.text)
      assert.deepEqual(JSON.parse(stringsIn(body).find((text) => text.startsWith('{'))!), left)
    }
  })

  await t.test('but not in similar text', () => {
    const body = { messages: [{ role: 'tool', content: String.raw`[a\n]` }] }
    assert.deepEqual(shown(requestTexts('completions', body)), [String.raw`tool toolOutput [a\n]`])
  })

  await t.test('with numbers that are long enough to be personal data', () => {
    const input = { n: 123456789, list: [4111111111111111, 5], few: 42, half: 1234567.5 }
    const body = { messages: [{ role: 'assistant', content: [{ type: 'tool_use', input }] }] }
    const slots = requestTexts('messages', body)
    assert.deepEqual(
      slots.map(({ text }) => text),
      ['123456789', '4111111111111111'],
    )
    slots[0]!.set('<SSN>')
    assert.deepEqual(input, { n: '<SSN>', list: [4111111111111111, 5], few: 42, half: 1234567.5 })
  })

  await t.test('in streams, wherever they are split', () => {
    const events: readonly (readonly [ChatFormat, string, (piece: string) => JsonObject])[] = [
      [
        'completions',
        'chunk',
        (piece) => ({ choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: piece } }] } }] }),
      ],
      [
        'messages',
        'content_block_delta',
        (piece) => ({ index: 0, delta: { type: 'input_json_delta', partial_json: piece } }),
      ],
      ['responses', 'response.function_call_arguments.delta', (piece) => ({ output_index: 0, delta: piece })],
      [
        'converse',
        'contentBlockDelta',
        (piece) => ({ contentBlockIndex: 0, delta: { toolUse: { input: piece } } }),
      ],
    ]
    for (const [format, name, event] of events)
      for (let cut = 1; cut < json.length; cut++) {
        const datas = [json.slice(0, cut), json.slice(cut)].map(event)
        const follow = streamTexts(format)
        const pieces = datas.map((data) => follow.read(name, data).pieces[0]!)
        assert.equal(pieces.map(({ text }) => text).join(''), meant)
        // An unchanged text is written back as the same JSON.
        for (const piece of pieces) piece.set(piece.text)
        const written = datas.map((data) => stringsIn(data).findLast((text) => text.length > 0)!).join('')
        assert.deepEqual(JSON.parse(written), JSON.parse(json), `${format} ${cut}`)
      }
  })
})

const stringsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(stringsIn)
      : []

test('texts at unexpected positions', async (t) => {
  const requests: readonly (readonly [string, RequestTextFormat, JsonObject, readonly string[]])[] = [
    [
      'a tool whose result looks like a system message',
      'messages',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'tool_result', content: [{ role: 'system', type: 'text', text: 'a' }] }],
          },
        ],
      },
      ['tool toolOutput a'],
    ],
    [
      'parts of unknown types',
      'responses',
      { input: [{ type: 'later', deep: [{ text: 'a', query: 'b', id: 'c' }], output: { x: { y: 'd' } } }] },
      ['user messages a', 'user messages b', 'user messages d'],
    ],
    [
      'inputs and outputs of shells and searches',
      'responses',
      {
        input: [
          { type: 'shell_call', action: { commands: ['ls', 'id'] }, status: 'completed' },
          { type: 'shell_call_output', output: [{ stdout: 'a', stderr: 'b', outcome: { type: 'exit' } }] },
          { type: 'mcp_call', name: 'f', arguments: '{"a":1}', output: 'c', error: 'd' },
          { type: 'web_search_call', action: { type: 'search', query: 'e' } },
          { type: 'function_call_output', call_id: 'x', output: { deep: ['f'] } },
          { type: 'custom_tool_call', input: 'g' },
        ],
      },
      [
        'assistant toolInput ls',
        'assistant toolInput id',
        'tool toolOutput a',
        'tool toolOutput b',
        'assistant toolInput {"a":1}',
        'tool toolOutput c',
        'tool toolOutput d',
        'assistant toolInput e',
        'tool toolOutput f',
        'assistant toolInput g',
      ],
    ],
    [
      'variables of prompts, whatever they are called',
      'responses',
      { prompt: { id: 'p', variables: { text: 'a', id: 'b', c: { type: 'input_text', text: 'd' } } } },
      ['user messages a', 'user messages b', 'user messages d'],
    ],
    [
      'texts in base64',
      'generateContent',
      {
        contents: [
          {
            role: 'user',
            parts: [
              { inlineData: { mimeType: 'text/plain', data: 'w7Z0ZXh0' } },
              { inlineData: { mimeType: 'image/png', data: 'w7Z0ZXh0' } },
            ],
          },
        ],
      },
      ['user messages ötext'],
    ],
    [
      'files with texts in their URLs',
      'completions',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'file', file: { file_data: 'data:text/plain;charset=utf-8;base64,YQ==' } }],
          },
        ],
      },
      ['user messages a'],
    ],
    [
      'documents',
      'converse',
      {
        messages: [
          {
            role: 'user',
            content: [
              { document: { format: 'md', name: 'n', source: { bytes: 'YQ==' } } },
              { image: { format: 'png', source: { bytes: 'YQ==' } } },
            ],
          },
        ],
      },
      ['user messages n', 'user messages a'],
    ],
    ['tokens for vectors', 'embeddings', { input: [[1, 2], [3]], model: 'm' }, []],
    ['a text for vectors', 'embeddings', { input: 'a' }, ['user messages a']],
    [
      'documents to be ordered',
      'rerank',
      { query: 'q', documents: ['a', { text: 'b', more: 'c' }] },
      ['user messages q', 'user messages a', 'user messages b', 'user messages c'],
    ],
    [
      'a prompt for a model of Bedrock',
      'invoke',
      {
        inputText: 'a',
        prompt: 'b',
        system: [{ text: 'c' }],
        chat_history: [{ role: 'CHATBOT', message: 'd' }],
      },
      ['system systemPrompt c', 'user messages a', 'user messages b', 'assistant messages d'],
    ],
  ]
  for (const [name, format, body, expected] of requests)
    await t.test(`${name} are found in ${format}`, () => {
      assert.deepEqual(shown(requestTexts(format, body)), expected)
    })

  await t.test('in base64 are encoded as base64', () => {
    const part = { mimeType: 'text/plain', data: 'w7Z0ZXh0' }
    const url = { file_data: 'data:text/plain;base64,YQ==' }
    requestTexts('generateContent', { contents: [{ parts: [{ inlineData: part }] }] })[0]?.set('ü')
    requestTexts('completions', { messages: [{ content: [{ file: url }] }] })[0]?.set('b')
    assert.deepEqual([part.data, url.file_data], ['w7w=', 'data:text/plain;base64,Yg=='])
  })

  await t.test('are removed with their logprobs', () => {
    const choice = (index: number) => ({
      index,
      message: { content: 'a' },
      logprobs: { content: [{ token: 'a' }] },
    })
    const chat = { choices: [choice(0), choice(1)] }
    replyTexts('completions', chat)[1]?.set('b')
    assert.deepEqual(chat, { choices: [choice(0), { index: 1, message: { content: 'b' }, logprobs: null }] })

    const delta = {
      type: 'response.output_text.delta',
      output_index: 0,
      delta: 'a',
      logprobs: [{ token: 'a' }],
    }
    streamTexts('responses').read(undefined, delta).pieces[0]?.set('b')
    assert.deepEqual(delta, { type: 'response.output_text.delta', output_index: 0, delta: 'b', logprobs: [] })

    const gemini = {
      candidates: [
        { content: { parts: [{ text: 'a' }] }, logprobsResult: { chosenCandidates: [{ token: 'a' }] } },
      ],
    }
    streamTexts('generateContent').read(undefined, gemini).pieces[0]?.set('b')
    assert.deepEqual(gemini, { candidates: [{ content: { parts: [{ text: 'b' }] }, logprobsResult: null }] })
  })

  await t.test('do no harm if values have unexpected types', () => {
    const odd: unknown[] = [
      null,
      1,
      true,
      '',
      [],
      {},
      [null, [null]],
      { toString: 1, valueOf: 1 },
      { index: {} },
      [{}],
    ]
    const names = [
      'messages',
      'system',
      'input',
      'contents',
      'tools',
      'choices',
      'candidates',
      'output',
      'delta',
      'index',
      'content_block',
      'message',
      'response',
      'item',
      'contentBlockIndex',
      'output_index',
      'type',
    ]
    for (const value of odd)
      for (const name of names)
        for (const format of chatFormats) {
          const body = {
            [name]: value,
            choices: [value, { delta: value, index: value }],
            [`${name}2`]: value,
          }
          requestTexts(format, body)
          replyTexts(format, body)
          const follow = streamTexts(format)
          for (const type of [
            'content_block_start',
            'content_block_delta',
            'contentBlockDelta',
            'response.x.delta',
            'response.x.done',
          ])
            follow.read(type, {
              ...body,
              index: value,
              contentBlockIndex: value,
              candidates: [{ content: value }, value],
            })
        }
  })

  await t.test('are found however deep they are', () => {
    const body = JSON.parse(
      `{"messages":${'['.repeat(100_000)}{"content":"a"}${']'.repeat(100_000)}}`,
    ) as JsonObject
    assert.deepEqual(shown(requestTexts('completions', body)), ['user messages a'])
  })
})

test('texts of peculiar streams', async (t) => {
  const closesOf = (
    format: ChatFormat,
    events: readonly (readonly [string | undefined, JsonObject | undefined])[],
  ) => {
    const follow = streamTexts(format)
    return events.map(([name, data]) => {
      const { pieces, closes } = follow.read(name, data)
      return [pieces.map(({ channel, text }) => `${channel} ${text}`), closes]
    })
  }
  const chunk = (delta: JsonObject, more: JsonObject = {}): readonly [undefined, JsonObject] => [
    undefined,
    { choices: [{ index: 0, delta, ...more }] },
  ]
  const call = (index: number, args: string) =>
    chunk({ tool_calls: [{ index, function: { arguments: args } }] })

  await t.test('begin again after an interruption', () => {
    assert.deepEqual(
      closesOf('completions', [
        chunk({ reasoning: 'a' }),
        chunk({ content: 'b' }),
        chunk({ reasoning: 'c' }),
        chunk({}, { finish_reason: 'stop' }),
      ]),
      [
        [['0/reasoning a'], []],
        [['0/content b'], ['0/reasoning']],
        [['0/reasoning~1 c'], ['0/content']],
        [[], ['0/reasoning~1']],
      ],
    )
  })

  await t.test('stay open once calls have been seen to overlap', () => {
    assert.deepEqual(
      closesOf('completions', [
        call(0, 'a'),
        call(1, 'b'),
        call(0, 'c'),
        call(1, 'd'),
        [undefined, undefined],
      ]),
      [
        [['0/tool_calls/#0/0/function/arguments a'], []],
        [['0/tool_calls/#1/0/function/arguments b'], ['0/tool_calls/#0/0/function/arguments']],
        [['0/tool_calls/#0/0/function/arguments~1 c'], []],
        [['0/tool_calls/#1/0/function/arguments d'], []],
        [[], 'all'],
      ],
    )
  })

  await t.test('end with errors', () => {
    for (const format of chatFormats)
      assert.equal(streamTexts(format).read(undefined, undefined).closes, 'all')
    assert.equal(streamTexts('converse').read('throttlingException', { message: 'a' }).closes, 'all')
    assert.equal(streamTexts('completions').read(undefined, { error: { message: 'a' } }).closes, 'all')
  })

  await t.test('include the initial text of a block', () => {
    assert.deepEqual(
      closesOf('messages', [
        ['content_block_start', { index: 1, content_block: { type: 'text', text: 'a' } }],
        ['content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'b' } }],
        ['content_block_stop', { index: 1 }],
      ]),
      [
        [['1/text a'], []],
        [['1/text b'], []],
        [[], ['1/text']],
      ],
    )
  })
})
