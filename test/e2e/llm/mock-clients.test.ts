import assert from 'node:assert/strict'
import { test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'

/** A gateway whose models are all mocks. */
const startMock = (): Promise<Daemon> =>
  startDaemon(`${anyPorts}
gateways:
  default: { port: 0 }
llm:
  models:
    - name: '*'
      provider: mock
`)

const openai = (daemon: Daemon, maxRetries = 0) =>
  new OpenAI({ apiKey: 'none', baseURL: `${daemon.url('default')}/v1`, maxRetries })

const tools = [
  {
    type: 'function',
    function: {
      name: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
] as const

test('official clients with the mock provider', async (t) => {
  await using daemon = await startMock()

  await t.test('openai: chat, with the usage that it reports', async () => {
    const { choices, usage, model } = await openai(daemon).chat.completions.create({
      model: 'fast',
      messages: [{ role: 'user', content: 'mock:say Hello mock:usage 100 20 cached=50' }],
    })
    assert.deepEqual(
      [model, choices[0]?.message.content, choices[0]?.finish_reason],
      ['fast', 'Hello', 'stop'],
    )
    assert.deepEqual(
      [usage?.prompt_tokens, usage?.completion_tokens, usage?.prompt_tokens_details?.cached_tokens],
      [100, 20, 50],
    )
  })

  await t.test('openai: streams with several tools and their results', async () => {
    const client = openai(daemon)
    const user = { role: 'user', content: 'mock:tool weather {"city":"Oslo"} mock:tool weather' } as const
    const { choices } = await client.chat.completions
      .stream({ model: 'fast', messages: [user], tools: [...tools] })
      .finalChatCompletion()
    const asked = choices[0]?.message
    assert.ok(asked?.tool_calls)
    assert.equal(choices[0]?.finish_reason, 'tool_calls')
    assert.deepEqual(
      asked.tool_calls.map((call) => call.type === 'function' && call.function.arguments),
      ['{"city":"Oslo"}', '{"city":"mock city"}'],
    )
    const results = asked.tool_calls.map(
      ({ id }) => ({ role: 'tool', tool_call_id: id, content: 'sunny' }) as const,
    )
    const said = await client.chat.completions.create({
      model: 'fast',
      messages: [user, asked, ...results],
      tools: [...tools],
    })
    assert.match(said.choices[0]?.message.content ?? '', /answered: sunny .*answered: sunny$/)
  })

  await t.test('openai: structured output', async () => {
    const { choices } = await openai(daemon).chat.completions.create({
      model: 'fast',
      messages: [{ role: 'user', content: 'hi' }],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'place', strict: true, schema: tools[0].function.parameters },
      },
    })
    assert.deepEqual(JSON.parse(choices[0]?.message.content ?? ''), { city: 'mock city' })
  })

  await t.test('openai: responses, whole and streamed', async () => {
    const client = openai(daemon)
    const whole = await client.responses.create({ model: 'fast', input: 'mock:say Hello' })
    assert.deepEqual([whole.status, whole.output_text], ['completed', 'Hello'])
    const streamed = await client.responses.stream({ model: 'fast', input: 'mock:words 20' }).finalResponse()
    assert.equal(streamed.output_text.split(' ').length, 20)
    assert.equal(streamed.usage?.output_tokens, 20)
  })

  await t.test('openai: embeddings, requested in base64', async () => {
    const { data } = await openai(daemon).embeddings.create({ model: 'e', input: ['a', 'b'], dimensions: 32 })
    assert.deepEqual(
      data.map(({ embedding }) => embedding.length),
      [32, 32],
    )
  })

  await t.test('openai: an error with its status, message and type', async () => {
    const refused = openai(daemon).chat.completions.create({
      model: 'fast',
      messages: [{ role: 'user', content: 'mock:error 429 slow down' }],
    })
    await assert.rejects(refused, (error: unknown) => {
      assert.ok(error instanceof OpenAI.RateLimitError)
      assert.match(error.message, /slow down/)
      return true
    })
  })

  await t.test('openai: a stream that fails in the middle', async () => {
    const stream = await openai(daemon).chat.completions.create({
      model: 'fast',
      stream: true,
      messages: [{ role: 'user', content: 'mock:error-mid 5 mock:words 50' }],
    })
    let said = ''
    await assert.rejects(async () => {
      for await (const { choices } of stream) said += choices[0]?.delta.content ?? ''
    }, /The mock was told to fail in the middle/)
    assert.equal(said, 'Once a quiet lamp')
  })

  await t.test('@anthropic-ai/sdk: a stream with thinking, text and a tool', async () => {
    const client = new Anthropic({ apiKey: 'none', baseURL: daemon.url('default'), maxRetries: 0 })
    const content = 'mock:think hm\nmock:say Hello there\nmock:tool weather {"city":"Oslo"}'
    const message = await client.messages
      .stream({ model: 'fast', max_tokens: 100, messages: [{ role: 'user', content }] })
      .finalMessage()
    assert.partialDeepStrictEqual(message, {
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'Hello there' },
        { type: 'tool_use', name: 'weather', input: { city: 'Oslo' } },
      ],
      stop_reason: 'tool_use',
    })
    const counted = await client.messages.countTokens({
      model: 'fast',
      messages: [{ role: 'user', content: 'a b' }],
    })
    assert.equal(counted.input_tokens, 2)
    const busy = [{ role: 'user', content: 'mock:error 529 busy' }] as const
    await assert.rejects(
      client.messages.create({ model: 'fast', max_tokens: 9, messages: [...busy] }),
      /overloaded_error.*busy/,
    )
  })

  await t.test('@google/genai: whole and streamed', async () => {
    const { models } = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: daemon.url('default') } })
    const whole = await models.generateContent({ model: 'fast', contents: 'mock:say Hello' })
    assert.equal(whole.text, 'Hello')
    let said = ''
    for await (const chunk of await models.generateContentStream({
      model: 'fast',
      contents: 'mock:words 20',
    }))
      said += chunk.text ?? ''
    assert.equal(said.split(' ').length, 20)
    const { totalTokens } = await models.countTokens({ model: 'fast', contents: 'a b c' })
    assert.equal(totalTokens, 3)
  })
})
