import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Part } from '../../../src/protocols/llm/chat/parts.ts'
import type { ChatRequest } from '../../../src/protocols/llm/chat/request.ts'
import { planReply } from '../../../src/upstream/mock-llm/plan-reply.ts'

const request = (said: string | readonly Part[], more: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'fast',
  instructions: [],
  turns: [{ role: 'user', parts: typeof said === 'string' ? [{ type: 'text', text: said }] : said }],
  tools: [],
  stop: [],
  streaming: false,
  includeUsage: false,
  ...more,
})

const weather = {
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}

const plan = (said: string | readonly Part[], more: Partial<ChatRequest> = {}) =>
  planReply(request(said, more), 'seed').reply

const texts = (said: string | readonly Part[], more: Partial<ChatRequest> = {}) =>
  plan(said, more).parts.map((part) => (part.type === 'text' ? part.text : part.type))

test('the planned reply of the mock', async (t) => {
  await t.test('is an echo, with the tokens counted', () => {
    assert.deepEqual(plan('How are you?'), {
      id: 'seed',
      model: 'fast',
      createdAtS: 1767225600,
      parts: [{ type: 'text', text: 'Hello from the mock model! You said: How are you?' }],
      finish: 'stop',
      stopSequence: undefined,
      usage: {
        inputTokens: 3,
        outputTokens: 10,
        totalTokens: 13,
        providerInputTokens: 3,
        providerTotalTokens: 13,
      },
    })
  })

  await t.test('is a greeting without a prompt', () => {
    assert.deepEqual(texts([]), ['Hello from the mock model!'])
    assert.deepEqual(planReply(request('', { turns: [] }), 's').reply.finish, 'stop')
  })

  await t.test('is an echo of at most a thousand characters', () => {
    assert.equal(texts('x'.repeat(5000))[0]?.length, 'Hello from the mock model! You said: '.length + 1001)
  })

  await t.test('depends on the messages since the last one of the model', () => {
    const turns = [
      { role: 'user', parts: [{ type: 'text', text: 'mock:say old' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'old' }] },
      { role: 'user', parts: [{ type: 'text', text: 'mock:say new' }] },
    ] as const
    assert.deepEqual(texts('', { turns }), ['new'])
  })

  await t.test('has the configured number of words', () => {
    const [text = ''] = texts('mock:words 30')
    assert.equal(text.split(' ').length, 30)
    assert.match(text, /^Once a quiet lamp .*\.$/)
  })

  await t.test('calls tools, and only one if parallel calls are disabled', () => {
    const said = 'mock:tool weather {"city":"Oslo"} mock:tool weather'
    assert.deepEqual(plan(said, { tools: [weather] }), {
      ...plan(said, { tools: [weather] }),
      finish: 'toolCalls',
      parts: [
        { type: 'toolCall', id: 'call_seed_0', name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'toolCall', id: 'call_seed_1', name: 'weather', arguments: '{"city":"mock city"}' },
      ],
    })
    assert.equal(plan(said, { parallelTools: false }).parts.length, 1)
  })

  await t.test('calls the required tool, until it has been called', () => {
    const tools = [{ name: 'other', parameters: {} }, weather]
    assert.deepEqual(plan('hi', { tools, toolChoice: { tool: 'weather' } }).parts, [
      { type: 'toolCall', id: 'call_seed_0', name: 'weather', arguments: '{"city":"mock city"}' },
    ])
    assert.deepEqual(plan('hi', { tools, toolChoice: 'required' }).finish, 'toolCalls')
    assert.deepEqual(plan('hi', { tools, toolChoice: 'auto' }).finish, 'stop')
    const results: Part[] = [{ type: 'toolResult', id: '1', parts: [] }]
    assert.deepEqual(plan(results, { tools, toolChoice: 'required' }).finish, 'stop')
  })

  await t.test('contains the result of a tool', () => {
    const results: Part[] = [
      { type: 'toolResult', id: '1', name: 'weather', parts: [{ type: 'text', text: 'sunny' }] },
      { type: 'toolResult', id: '2', parts: [{ type: 'text', text: 'no such city' }], isError: true },
    ]
    assert.deepEqual(texts(results), ['weather answered: sunny The tool failed: no such city'])
  })

  await t.test('begins with reasoning, and counts it', () => {
    const reply = plan('mock:think hm, well\nmock:say yes')
    assert.deepEqual(reply.parts, [
      { type: 'thinking', text: 'hm, well', signature: 'bW9jayBzZWVk' },
      { type: 'text', text: 'yes' },
    ])
    assert.deepEqual([reply.usage?.outputTokens, reply.usage?.reasoningTokens], [3, 2])
  })

  await t.test('is a refusal', () => {
    assert.deepEqual(
      [plan('mock:refuse not that').parts, plan('mock:refuse').finish],
      [[{ type: 'refusal', text: 'not that' }], 'refusal'],
    )
  })

  await t.test('has the requested schema, unless its text is configured', () => {
    const output = { type: 'schema', schema: weather.parameters } as const
    assert.deepEqual(texts('hi', { output }), ['{"city":"mock city"}'])
    assert.deepEqual(texts('hi', { output: { type: 'json' } }), ['{"answer":"hi"}'])
    assert.deepEqual(texts('mock:json {"city": 1}', { output }), ['{"city": 1}'])
  })

  await t.test('ends at a stop sequence', () => {
    const short = plan('mock:words 100', { maxTokens: 3 })
    assert.deepEqual(
      [short.parts, short.finish, short.usage?.outputTokens],
      [[{ type: 'text', text: 'Once a quiet' }], 'length', 3],
    )
    const stopped = plan('mock:words 100', { stop: ['nowhere', ' lamp'] })
    assert.deepEqual(
      [stopped.parts, stopped.finish, stopped.stopSequence],
      [[{ type: 'text', text: 'Once a quiet' }], 'stopSequence', ' lamp'],
    )
  })

  await t.test('has the configured usage', () => {
    const { usage, finish } = plan('mock:usage 100 20 cached=50 mock:finish content_filter')
    assert.deepEqual(
      [usage?.inputTokens, usage?.outputTokens, usage?.totalTokens, usage?.cachedInputTokens, finish],
      [100, 20, 120, 50, 'contentFilter'],
    )
  })

  await t.test('counts the complete prompt', () => {
    const { usage } = plan(
      [
        { type: 'text', text: 'one two' },
        { type: 'image', source: { url: 'https://a.test/' } },
      ],
      {
        instructions: [{ type: 'text', text: 'be brief' }],
        tools: [{ name: 'a', parameters: {} }],
      },
    )
    assert.equal(usage?.inputTokens, 2 + 100 + 2 + 2)
  })
})
