import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { type MockModel, type Mocks, startMocks } from '../../support/llm/mocks.ts'
import { redDot } from '../../support/llm/red-dot.ts'

/** The models for the official client: its own format, and two that need translation. */
const models: readonly MockModel[] = ['plain', 'by-completions', 'by-responses']

suite('the Anthropic client', () => {
  let mocks: Mocks
  let client: Anthropic
  before(async () => {
    mocks = await startMocks()
    client = new Anthropic({ baseURL: mocks.origin, apiKey: 'anything', maxRetries: 0 })
  })
  after(() => mocks[Symbol.asyncDispose]())

  test('lists models', async () => {
    const listed: string[] = []
    for await (const { type, id, display_name, created_at } of client.models.list()) {
      assert.equal(type, 'model')
      assert.equal(display_name, id)
      assert.ok(Date.parse(created_at) <= Date.now())
      listed.push(id)
    }
    assert.deepEqual(listed.toSorted(), [
      'by-completions',
      'by-gemini',
      'by-messages',
      'by-responses',
      'plain',
    ])
  })

  for (const model of models)
    suite(`with ${model}`, () => {
      test('receives whole messages', async () => {
        const said = await client.messages.create({
          model,
          max_tokens: 100,
          system: 'Be brief.',
          messages: user('mock:say Good morning.'),
        })
        assert.equal(said.type, 'message')
        assert.equal(said.model, model)
        assert.deepEqual(said.content, [{ type: 'text', text: 'Good morning.' }])
        assert.equal(said.stop_reason, 'end_turn')
        assert.equal(said.usage.output_tokens, 2)
      })

      test('assembles streams', async () => {
        const pieces: string[] = []
        const stream = client.messages
          .stream({ model, max_tokens: 100, messages: user('mock:words 40') })
          .on('text', (delta) => pieces.push(delta))
        const said = await stream.finalMessage()
        assert.ok(pieces.length > 30)
        assert.deepEqual(said.content, [{ type: 'text', text: pieces.join('') }])
        assert.equal(said.stop_reason, 'end_turn')
        assert.equal(said.usage.output_tokens, 40)
        assert.ok(said.usage.input_tokens > 0)
      })

      for (const streamed of [false, true])
        test(`calls tools in parallel, and sends their results${streamed ? ', streamed' : ''}`, async () => {
          const told =
            'mock:say Let me look. mock:tool weather {"city":"Bern"} mock:tool weather {"city":"Rome"}'
          const messages = user(told)
          const first = await turn(client, { model, max_tokens: 100, messages, tools: [weather] }, streamed)
          assert.equal(first.stop_reason, 'tool_use')
          assert.deepEqual(
            first.content.map((block) => (block.type === 'tool_use' ? [block.name, block.input] : block)),
            [
              { type: 'text', text: 'Let me look.' },
              ['weather', { city: 'Bern' }],
              ['weather', { city: 'Rome' }],
            ],
          )
          const results = first.content
            .filter((block) => block.type === 'tool_use')
            .map(({ id }, i) => ({
              type: 'tool_result' as const,
              tool_use_id: id,
              content: [{ type: 'text' as const, text: `${20 + i} degrees` }],
            }))
          assert.equal(new Set(results.map(({ tool_use_id }) => tool_use_id)).size, 2)
          const second = await turn(
            client,
            {
              model,
              max_tokens: 100,
              messages: [
                ...messages,
                { role: 'assistant', content: first.content },
                { role: 'user', content: results },
              ],
              tools: [weather],
            },
            streamed,
          )
          assert.match(textOf(second), /^(.+) answered: 20 degrees \1 answered: 21 degrees$/)
          assert.equal(second.stop_reason, 'end_turn')
        })

      test('forces a tool, one at a time', async () => {
        const said = await turn(client, {
          model,
          max_tokens: 100,
          messages: user('hi'),
          tools: [clock, weather],
          tool_choice: { type: 'tool', name: 'weather' },
        })
        assert.deepEqual(
          said.content.map((block) => (block.type === 'tool_use' ? [block.name, block.input] : block)),
          [['weather', { city: 'mock city' }]],
        )
        const alone = await turn(client, {
          model,
          max_tokens: 100,
          messages: user('mock:tool weather {"city":"Bern"} mock:tool weather {"city":"Rome"}'),
          tools: [weather],
          tool_choice: { type: 'auto', disable_parallel_tool_use: true },
        })
        assert.equal(alone.content.length, 1)
      })

      for (const streamed of [false, true])
        test(`receives thinking, and sends it back${streamed ? ', streamed' : ''}`, async () => {
          const messages = user('mock:think Hm, greetings. mock:say Hello.')
          const thinking = { type: 'enabled', budget_tokens: 1024 } as const
          const ask = { model, max_tokens: 2000, messages, thinking }
          const said = await turn(client, ask, streamed)
          const [thought, text] = said.content
          assert.ok(thought?.type === 'thinking')
          assert.equal(thought.thinking, 'Hm, greetings.')
          assert.deepEqual(text, { type: 'text', text: 'Hello.' })
          const next = await turn(
            client,
            {
              ...ask,
              messages: [...messages, { role: 'assistant', content: said.content }, ...user('Thanks.')],
            },
            streamed,
          )
          assert.equal(textOf(next), 'Hello from the mock model! You said: Thanks.')
        })

      test('sends images', async () => {
        const said = await turn(client, {
          model,
          max_tokens: 100,
          messages: [
            {
              role: 'user',
              content: [
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: redDot } },
                { type: 'text', text: 'What is it?' },
              ],
            },
          ],
        })
        assert.equal(textOf(said), 'Hello from the mock model! You said: What is it?')
        assert.ok(said.usage.input_tokens >= 100)
      })

      test('receives structured output', async () => {
        const said = await turn(client, {
          model,
          max_tokens: 100,
          messages: user('A colour, please.'),
          output_config: { format: { type: 'json_schema', schema: colour } },
        })
        assert.deepEqual(JSON.parse(textOf(said)), { name: 'red', strength: 1 })
      })

      test('receives stop reasons', async () => {
        const cut = await turn(client, { model, max_tokens: 5, messages: user('mock:words 40') })
        assert.equal(cut.stop_reason, 'max_tokens')
        for (const streamed of [false, true]) {
          const refused = await turn(
            client,
            { model, max_tokens: 100, messages: user('mock:refuse I would rather not.') },
            streamed,
          )
          assert.equal(refused.stop_reason, 'refusal')
        }
      })
    })

  test('counts tokens', async () => {
    for (const model of ['plain', 'by-messages']) {
      const { input_tokens } = await client.messages.countTokens({
        model,
        messages: user('Four words are here.'),
      })
      assert.equal(input_tokens, 4)
    }
  })
})

type Ask = Anthropic.MessageCreateParamsNonStreaming

const user = (content: string): Anthropic.MessageParam[] => [{ role: 'user', content }]

const turn = (client: Anthropic, ask: Ask, streamed = false): Promise<Anthropic.Message> =>
  streamed ? client.messages.stream(ask).finalMessage() : client.messages.create(ask)

const textOf = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('')

const weather: Anthropic.Tool = {
  name: 'weather',
  description: 'The weather in a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

const clock: Anthropic.Tool = {
  name: 'clock',
  description: 'The time',
  input_schema: { type: 'object', properties: {} },
}

const colour = {
  type: 'object',
  properties: { name: { type: 'string', enum: ['red', 'blue'] }, strength: { type: 'integer', minimum: 1 } },
  required: ['name', 'strength'],
  additionalProperties: false,
}
