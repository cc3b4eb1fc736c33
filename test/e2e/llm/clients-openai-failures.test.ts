import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import OpenAI, {
  APIConnectionError,
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnprocessableEntityError,
} from 'openai'
import { type MockModel, type Mocks, startMocks } from '../../support/llm/mocks.ts'

const models: readonly MockModel[] = ['plain', 'by-messages', 'by-gemini']

const classes = [
  [400, BadRequestError],
  [401, AuthenticationError],
  [403, PermissionDeniedError],
  [404, NotFoundError],
  [422, UnprocessableEntityError],
  [429, RateLimitError],
  [500, InternalServerError],
  [503, InternalServerError],
  [529, InternalServerError],
] as const

suite('the OpenAI client', () => {
  let mocks: Mocks
  let client: OpenAI
  before(async () => {
    mocks = await startMocks()
    client = new OpenAI({ baseURL: `${mocks.origin}/v1`, apiKey: 'anything', maxRetries: 0 })
  })
  after(() => mocks[Symbol.asyncDispose]())

  for (const model of models)
    suite(`with ${model}`, () => {
      for (const [status, Class] of classes)
        test(`throws ${Class.name} for ${status}`, async () => {
          for (const stream of [false, true])
            await assert.rejects(
              client.chat.completions.create({
                model,
                messages: user(`mock:error ${status} It fails.`),
                stream,
              }),
              (error) => {
                assert.ok(error instanceof Class, String(error))
                assert.equal(error.status, status)
                assert.match(error.message, /It fails\./)
                return true
              },
            )
        })

      test('throws an error from the middle of a stream', async () => {
        const said: string[] = []
        await assert.rejects(
          async () => {
            const stream = await client.chat.completions.create({
              model,
              messages: user('mock:error-mid 5 mock:words 40'),
              stream: true,
            })
            for await (const { choices } of stream) said.push(choices[0]?.delta.content ?? '')
          },
          (error) => error instanceof APIError && error.message.includes('told to fail in the middle'),
        )
        assert.notEqual(said.join(''), '')
      })

      test('throws when the provider breaks off', async () => {
        await assert.rejects(
          async () => {
            const stream = await client.chat.completions.create({
              model,
              messages: user('mock:cut 5 mock:words 40'),
              stream: true,
            })
            for await (const chunk of stream) assert.ok(chunk.choices)
          },
          (error) => error instanceof APIError && !(error instanceof APIConnectionError),
        )
      })

      test('can leave during a stream', async () => {
        const messages = user('mock:chunk-delay 20ms mock:words 5000')
        const stream = await client.chat.completions.create({ model, messages, stream: true })
        let chunks = 0
        for await (const chunk of stream) {
          assert.ok(chunk.choices)
          if (++chunks === 3) stream.controller.abort()
        }
        assert.ok(chunks < 2_500)
        await mocks.daemon.printed(new RegExp(`gen_ai\\.request\\.model=${model}\\b.*error="client left"`))
      })

      test('can leave before the response', async () => {
        const going = new AbortController()
        const asked = client.chat.completions.create(
          { model, messages: user('mock:delay 60s') },
          { signal: going.signal },
        )
        setImmediate(() => {
          going.abort()
        })
        await assert.rejects(asked, APIUserAbortError)
      })
    })

  test('throws NotFoundError for unknown models', async () => {
    await assert.rejects(
      client.chat.completions.create({ model: 'nobody', messages: user('hi') }),
      (error) => error instanceof NotFoundError && error.code === 'model_not_found',
    )
  })
})

const user = (content: string): OpenAI.ChatCompletionMessageParam[] => [{ role: 'user', content }]
