import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  Output,
  generateText,
  type LanguageModel,
  isStepCount,
  jsonSchema,
  streamText,
  tool,
} from 'ai'
import { type MockModel, type Mocks, startMocks } from '../../support/llm/mocks.ts'
import { redDot } from '../../support/llm/red-dot.ts'

/** A package of the AI SDK, and the models that it calls. */
interface Provider {
  readonly name: string
  readonly models: readonly MockModel[]
  readonly model: (origin: string, name: string) => LanguageModel
}

const providers: readonly Provider[] = [
  {
    name: '@ai-sdk/openai (responses)',
    models: ['plain', 'by-completions', 'by-messages'],
    model: (origin, name) => createOpenAI({ baseURL: `${origin}/v1`, apiKey: 'anything' }).responses(name),
  },
  {
    name: '@ai-sdk/openai (chat)',
    models: ['plain', 'by-messages', 'by-gemini'],
    model: (origin, name) => createOpenAI({ baseURL: `${origin}/v1`, apiKey: 'anything' }).chat(name),
  },
  {
    name: '@ai-sdk/openai-compatible',
    models: ['plain', 'by-messages', 'by-gemini'],
    model: (origin, name) =>
      createOpenAICompatible({
        name: 'gateway',
        baseURL: `${origin}/v1`,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })(name),
  },
  {
    name: '@ai-sdk/anthropic',
    models: ['plain', 'by-completions', 'by-responses'],
    model: (origin, name) => createAnthropic({ baseURL: `${origin}/v1`, apiKey: 'anything' })(name),
  },
]

suite('the Vercel AI SDK', () => {
  let mocks: Mocks
  before(async () => {
    mocks = await startMocks()
  })
  after(() => mocks[Symbol.asyncDispose]())

  for (const provider of providers)
    for (const name of provider.models)
      suite(`by ${provider.name} with ${name}`, () => {
        const ask = () => ({
          model: provider.model(mocks.origin, name),
          maxRetries: 0,
          maxOutputTokens: 1000,
          // Otherwise later steps refer to earlier output by id only, and nothing here stores it.
          providerOptions: { openai: { store: false } },
        })

        test('generates text', async () => {
          const said = await generateText({
            ...ask(),
            instructions: 'Be brief.',
            prompt: 'mock:say Good morning.',
          })
          assert.equal(said.text, 'Good morning.')
          assert.equal(said.finishReason, 'stop')
          assert.equal(said.usage.outputTokens, 2)
          assert.ok((said.usage.inputTokens ?? 0) > 0)
        })

        test('streams text', async () => {
          const said = streamText({ ...ask(), prompt: 'mock:words 40' })
          const pieces: string[] = []
          for await (const piece of said.textStream) pieces.push(piece)
          assert.ok(pieces.length > 30)
          assert.equal(pieces.join(''), await said.text)
          assert.equal(await said.finishReason, 'stop')
          assert.equal((await said.usage).outputTokens, 40)
        })

        for (const streamed of [false, true])
          test(`runs tools${streamed ? ' from streams' : ''}`, async () => {
            const asked = {
              ...ask(),
              prompt:
                'mock:say Let me look. mock:tool weather {"city":"Bern"} mock:tool weather {"city":"Rome"}',
              tools: { weather },
              stopWhen: isStepCount(3),
            }
            const steps = streamed ? await streamText(asked).steps : (await generateText(asked)).steps
            assert.deepEqual(
              steps.map(({ finishReason, toolCalls }) => [finishReason, toolCalls.map(({ input }) => input)]),
              [
                ['tool-calls', [{ city: 'Bern' }, { city: 'Rome' }]],
                ['stop', []],
              ],
            )
            assert.match(
              steps[1]?.text ?? '',
              /^(.+) answered: It rains in Bern\. \1 answered: It rains in Rome\.$/,
            )
          })

        for (const streamed of [false, true])
          test(`generates objects${streamed ? ' incrementally' : ''}`, async () => {
            const asked = { ...ask(), prompt: 'A colour, please.', output: Output.object({ schema: colour }) }
            const object = streamed ? await streamText(asked).output : (await generateText(asked)).output
            assert.deepEqual(object, { name: 'red', strength: 1 })
          })

        test('sends images', async () => {
          const said = await generateText({
            ...ask(),
            messages: [
              {
                role: 'user',
                content: [
                  { type: 'text', text: 'What is it?' },
                  { type: 'file', data: redDot, mediaType: 'image/png' },
                ],
              },
            ],
          })
          assert.equal(said.text, 'Hello from the mock model! You said: What is it?')
          assert.ok((said.usage.inputTokens ?? 0) >= 100)
        })

        test('throws errors', async () => {
          await assert.rejects(
            generateText({ ...ask(), prompt: 'mock:error 429 retry-after=7 It fails.' }),
            (error) => {
              assert.ok(APICallError.isInstance(error), String(error))
              assert.equal(error.statusCode, 429)
              assert.equal(error.message, 'It fails.')
              assert.ok(error.isRetryable)
              assert.equal(error.responseHeaders?.['retry-after'], '7')
              return true
            },
          )
        })

        test('throws an error from the middle of a stream', async () => {
          const errors: unknown[] = []
          const said = streamText({
            ...ask(),
            prompt: 'mock:error-mid 8 mock:words 40',
            onError: ({ error }) => {
              errors.push(error)
            },
          })
          const pieces: string[] = []
          for await (const part of said.stream) if (part.type === 'text-delta') pieces.push(part.text)
          assert.ok(pieces.length > 0)
          assert.equal(errors.length, 1)
          assert.match(JSON.stringify(errors[0]) + String(errors[0]), /told to fail in the middle/)
        })
      })
})

const weather = tool({
  description: 'The weather in a city',
  inputSchema: jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  }),
  execute: ({ city }) => `It rains in ${city}.`,
})

const colour = jsonSchema<{ name: string; strength: number }>({
  type: 'object',
  properties: { name: { type: 'string', enum: ['red', 'blue'] }, strength: { type: 'integer', minimum: 1 } },
  required: ['name', 'strength'],
  additionalProperties: false,
})
