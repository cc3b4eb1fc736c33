import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import OpenAI from 'openai'
import { type MockModel, type Mocks, startMocks } from '../../support/llm/mocks.ts'
import { redDot } from '../../support/llm/red-dot.ts'

/** The models for the official client's Chat Completions: the same format, and two that need translation. */
const models: readonly MockModel[] = ['plain', 'by-messages', 'by-gemini']

suite('the OpenAI client with Chat Completions', () => {
  let mocks: Mocks
  let client: OpenAI
  before(async () => {
    mocks = await startMocks()
    client = new OpenAI({ baseURL: `${mocks.origin}/v1`, apiKey: 'anything', maxRetries: 0 })
  })
  after(() => mocks[Symbol.asyncDispose]())

  for (const model of models)
    suite(`and ${model}`, () => {
      test('receives whole replies', async () => {
        const said = await client.chat.completions.create({ model, messages: user('mock:say Good morning.') })
        assert.equal(said.object, 'chat.completion')
        assert.equal(said.model, model)
        assert.deepEqual(said.choices.map(essence), [
          { role: 'assistant', content: 'Good morning.', calls: [], finish: 'stop' },
        ])
        assert.ok((said.usage?.prompt_tokens ?? 0) > 0)
        assert.equal(said.usage?.completion_tokens, 2)
      })

      test('receives streams, assembled by its helper', async () => {
        const pieces: string[] = []
        const stream = client.chat.completions
          .stream({ model, messages: user('mock:words 40'), stream_options: { include_usage: true } })
          .on('content', (delta) => pieces.push(delta))
        const said = await stream.finalChatCompletion()
        assert.ok(pieces.length > 30)
        assert.equal(pieces.join(''), said.choices[0]?.message.content)
        assert.equal(said.choices[0]?.finish_reason, 'stop')
        assert.equal(said.usage?.completion_tokens, 40)
      })

      test('receives streams without usage if it did not request it', async () => {
        const stream = await client.chat.completions.create({ model, messages: user('hi'), stream: true })
        for await (const chunk of stream) {
          assert.equal(chunk.usage ?? null, null)
          assert.equal(chunk.choices.length, 1)
        }
      })

      for (const streamed of [false, true])
        test(`calls tools in parallel, and sends their results${streamed ? ', streamed' : ''}`, async () => {
          const told =
            'mock:say Let me look. mock:tool weather {"city":"Bern"} mock:tool weather {"city":"Rome"}'
          const messages: OpenAI.ChatCompletionMessageParam[] = user(told)
          const first = await turn(client, { model, messages, tools: [weather] }, streamed)
          assert.deepEqual(essence(first), {
            role: 'assistant',
            content: 'Let me look.',
            calls: ['weather {"city":"Bern"}', 'weather {"city":"Rome"}'],
            finish: 'tool_calls',
          })
          const calls = first.message.tool_calls ?? []
          assert.equal(new Set(calls.map(({ id }) => id)).size, 2)
          const results = calls.map(({ id }, i) => ({
            role: 'tool' as const,
            tool_call_id: id,
            content: `${20 + i} degrees`,
          }))
          const second = await turn(
            client,
            { model, messages: [...messages, first.message, ...results], tools: [weather] },
            streamed,
          )
          assert.match(second.message.content ?? '', /^(.+) answered: 20 degrees \1 answered: 21 degrees$/)
          assert.equal(second.finish_reason, 'stop')
        })

      test('disables parallel calls, and forces a tool', async () => {
        const alone = await turn(client, {
          model,
          messages: user('mock:tool weather {"city":"Bern"} mock:tool weather {"city":"Rome"}'),
          tools: [weather],
          parallel_tool_calls: false,
        })
        // Gemini's format has no such option.
        assert.equal(alone.message.tool_calls?.length, model === 'by-gemini' ? 2 : 1)
        const forced = await turn(client, {
          model,
          messages: user('hi'),
          tools: [clock, weather],
          tool_choice: { type: 'function', function: { name: 'weather' } },
        })
        assert.deepEqual(essence(forced).calls, ['weather {"city":"mock city"}'])
      })

      test('receives structured output', async () => {
        const said = await client.chat.completions.parse({
          model,
          messages: user('A colour, please.'),
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'colour', strict: true, schema: colour },
          },
        })
        assert.deepEqual(JSON.parse(said.choices[0]?.message.content ?? ''), { name: 'red', strength: 1 })
      })

      test('sends images', async () => {
        const said = await client.chat.completions.create({
          model,
          messages: [
            {
              role: 'user',
              content: [
                { type: 'text', text: 'What is it?' },
                { type: 'image_url', image_url: { url: `data:image/png;base64,${redDot}` } },
              ],
            },
          ],
        })
        assert.equal(said.choices[0]?.message.content, 'Hello from the mock model! You said: What is it?')
        // The mock counts a hundred tokens for an image.
        assert.ok((said.usage?.prompt_tokens ?? 0) >= 100)
      })

      test('receives finish reasons', async () => {
        const cut = await turn(client, { model, messages: user('mock:words 40'), max_completion_tokens: 5 })
        assert.equal(cut.finish_reason, 'length')
        const stopped = await turn(client, {
          model,
          messages: user('mock:say one two three'),
          stop: ' three',
        })
        assert.deepEqual([stopped.message.content, stopped.finish_reason], ['one two', 'stop'])
        const filtered = await turn(client, {
          model,
          messages: user('mock:say No. mock:finish content_filter'),
        })
        assert.equal(filtered.finish_reason, 'content_filter')
      })
    })

  test('receives embeddings', async () => {
    for (const model of ['plain', 'by-completions']) {
      const { data, usage } = await client.embeddings.create({
        model,
        input: ['red apple', 'red apples', 'cloud'],
        dimensions: 64,
      })
      assert.deepEqual(
        data.map(({ index, embedding }) => [index, embedding.length]),
        [
          [0, 64],
          [1, 64],
          [2, 64],
        ],
      )
      assert.ok(data.every(({ embedding }) => embedding.some((number) => number !== 0)))
      assert.equal(usage.total_tokens, 5)
    }
  })

  test('lists models', async () => {
    const ids: string[] = []
    for await (const { id } of client.models.list()) ids.push(id)
    assert.deepEqual(ids.toSorted(), ['by-completions', 'by-gemini', 'by-messages', 'by-responses', 'plain'])
  })
})

type Ask = OpenAI.ChatCompletionCreateParamsNonStreaming

const user = (content: string): OpenAI.ChatCompletionMessageParam[] => [{ role: 'user', content }]

const turn = async (client: OpenAI, ask: Ask, streamed = false): Promise<OpenAI.ChatCompletion.Choice> => {
  const said = streamed
    ? await client.chat.completions.stream({ ...ask, stream: true }).finalChatCompletion()
    : await client.chat.completions.create(ask)
  const [choice] = said.choices
  assert.ok(choice)
  return choice
}

const essence = ({ message, finish_reason }: OpenAI.ChatCompletion.Choice) => ({
  role: message.role,
  content: message.content,
  calls: (message.tool_calls ?? []).map((call) =>
    call.type === 'function' ? `${call.function.name} ${call.function.arguments}` : call.type,
  ),
  finish: finish_reason,
})

const weather: OpenAI.ChatCompletionFunctionTool = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

const clock: OpenAI.ChatCompletionFunctionTool = {
  type: 'function',
  function: { name: 'clock', description: 'The time', parameters: { type: 'object', properties: {} } },
}

const colour = {
  type: 'object',
  properties: { name: { type: 'string', enum: ['red', 'blue'] }, strength: { type: 'integer', minimum: 1 } },
  required: ['name', 'strength'],
  additionalProperties: false,
}
