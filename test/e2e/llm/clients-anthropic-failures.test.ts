import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Anthropic, {
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from '@anthropic-ai/sdk'
import { type MockModel, type Mocks, startMocks } from '../../support/llm/mocks.ts'

const models: readonly MockModel[] = ['plain', 'by-completions', 'by-responses']

const classes = [
  [400, BadRequestError],
  [401, AuthenticationError],
  [403, PermissionDeniedError],
  [404, NotFoundError],
  [429, RateLimitError],
  [500, InternalServerError],
  [529, InternalServerError],
] as const

suite('the Anthropic client', () => {
  let mocks: Mocks
  let client: Anthropic
  before(async () => {
    mocks = await startMocks()
    client = new Anthropic({ baseURL: mocks.origin, apiKey: 'anything', maxRetries: 0 })
  })
  after(() => mocks[Symbol.asyncDispose]())

  for (const model of models)
    suite(`with ${model}`, () => {
      for (const [status, Class] of classes)
        test(`throws ${Class.name} for ${status}`, async () => {
          for (const stream of [false, true])
            await assert.rejects(
              client.messages.create({
                model,
                max_tokens: 100,
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
        const stream = client.messages
          .stream({ model, max_tokens: 100, messages: user('mock:error-mid 5 mock:words 40') })
          .on('text', (delta) => said.push(delta))
        await assert.rejects(stream.finalMessage(), (error) => {
          assert.ok(error instanceof APIError, String(error))
          assert.match(error.message, /told to fail in the middle/)
          return true
        })
        assert.notEqual(said.join(''), '')
      })

      test('throws when the provider breaks off', async () => {
        const stream = client.messages.stream({
          model,
          max_tokens: 100,
          messages: user('mock:cut 5 mock:words 40'),
        })
        await assert.rejects(stream.finalMessage(), (error) => {
          assert.ok(error instanceof APIError, String(error))
          assert.match(error.message, /upstream call failed/)
          return true
        })
      })

      test('can leave during a stream', async () => {
        const messages = user('mock:chunk-delay 20ms mock:words 5000')
        const stream = client.messages.stream({ model, max_tokens: 10_000, messages })
        stream.once('text', () => {
          stream.abort()
        })
        await assert.rejects(stream.finalMessage(), APIUserAbortError)
        await mocks.daemon.printed(new RegExp(`gen_ai\\.request\\.model=${model}\\b.*error="client left"`))
      })
    })

  test('gets an error in its own format for an unknown model', async () => {
    await assert.rejects(
      client.messages.create({ model: 'nobody', max_tokens: 1, messages: user('hi') }),
      (error) => error instanceof NotFoundError && error.message.includes('not_found_error'),
    )
  })
})

const user = (content: string): Anthropic.MessageParam[] => [{ role: 'user', content }]
