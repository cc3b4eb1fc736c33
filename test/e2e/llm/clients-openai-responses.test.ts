import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import OpenAI from 'openai'
import { type MockModel, type Mocks, startMocks } from '../../support/llm/mocks.ts'
import { redDot } from '../../support/llm/red-dot.ts'

/** The models for the official client's Responses: the same format, and two that need translation. */
const models: readonly MockModel[] = ['plain', 'by-completions', 'by-messages']

suite('the OpenAI client with Responses', () => {
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
        const said = await client.responses.create({
          model,
          instructions: 'Be brief.',
          input: 'mock:say Good morning.',
        })
        assert.equal(said.object, 'response')
        assert.equal(said.status, 'completed')
        assert.equal(said.output_text, 'Good morning.')
        assert.deepEqual(
          said.output.map(({ type }) => type),
          ['message'],
        )
        assert.equal(said.usage?.output_tokens, 2)
      })

      test('receives streams, assembled by its helper', async () => {
        const pieces: string[] = []
        const numbers: number[] = []
        const stream = client.responses
          .stream({ model, input: 'mock:words 40' })
          .on('event', ({ sequence_number }) => numbers.push(sequence_number))
          .on('response.output_text.delta', ({ delta }) => pieces.push(delta))
        const said = await stream.finalResponse()
        assert.ok(pieces.length > 30)
        assert.equal(pieces.join(''), said.output_text)
        assert.equal(said.usage?.output_tokens, 40)
        assert.deepEqual(numbers, [...numbers.keys()])
      })

      for (const streamed of [false, true])
        test(`calls tools in parallel, and sends their results${streamed ? ', streamed' : ''}`, async () => {
          const told =
            'mock:say Let me look. mock:tool weather {"city":"Bern"} mock:tool weather {"city":"Rome"}'
          const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: told }]
          const first = await turn(client, { model, input, tools: [weather] }, streamed)
          assert.equal(first.output_text, 'Let me look.')
          const calls = first.output.filter((item) => item.type === 'function_call')
          assert.deepEqual(
            calls.map((call) => [call.name, JSON.parse(call.arguments) as unknown, call.status]),
            [
              ['weather', { city: 'Bern' }, 'completed'],
              ['weather', { city: 'Rome' }, 'completed'],
            ],
          )
          const results = calls.map(({ call_id }, i) => ({
            type: 'function_call_output' as const,
            call_id,
            output: `${20 + i} degrees`,
          }))
          const second = await turn(
            client,
            {
              model,
              input: [...input, ...(first.output as OpenAI.Responses.ResponseInput), ...results],
              tools: [weather],
            },
            streamed,
          )
          assert.match(second.output_text, /^(.+) answered: 20 degrees \1 answered: 21 degrees$/)
        })

      test('receives structured output', async () => {
        const said = await client.responses.create({
          model,
          input: 'A colour, please.',
          text: { format: { type: 'json_schema', name: 'colour', strict: true, schema: colour } },
        })
        assert.deepEqual(JSON.parse(said.output_text), { name: 'red', strength: 1 })
      })

      test('sends images', async () => {
        const said = await client.responses.create({
          model,
          input: [
            {
              role: 'user',
              content: [
                { type: 'input_text', text: 'What is it?' },
                { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${redDot}` },
              ],
            },
          ],
        })
        assert.equal(said.output_text, 'Hello from the mock model! You said: What is it?')
        assert.ok((said.usage?.input_tokens ?? 0) >= 100)
      })

      test('receives reasoning', async () => {
        const ask = {
          model,
          input: 'mock:think Hm, greetings. mock:say Hello.',
          reasoning: { effort: 'low', summary: 'auto' },
        } as const
        for (const streamed of [false, true]) {
          const said = await turn(client, ask, streamed)
          const [thought] = said.output
          assert.ok(thought?.type === 'reasoning')
          const text = [...thought.summary, ...(thought.content ?? [])].map((part) => part.text).join('')
          assert.equal(text, 'Hm, greetings.')
          assert.equal(said.output_text, 'Hello.')
        }
      })

      test('receives incomplete responses', async () => {
        const said = await client.responses.create({ model, input: 'mock:words 40', max_output_tokens: 16 })
        assert.equal(said.status, 'incomplete')
        assert.equal(said.incomplete_details?.reason, 'max_output_tokens')
      })
    })
})

type Ask = OpenAI.Responses.ResponseCreateParamsNonStreaming

const turn = (client: OpenAI, ask: Ask, streamed: boolean): Promise<OpenAI.Responses.Response> =>
  streamed ? client.responses.stream({ ...ask, stream: true }).finalResponse() : client.responses.create(ask)

const weather: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'The weather in a city',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

const colour = {
  type: 'object',
  properties: { name: { type: 'string', enum: ['red', 'blue'] }, strength: { type: 'integer', minimum: 1 } },
  required: ['name', 'strength'],
  additionalProperties: false,
}
